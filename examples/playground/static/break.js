// Two clients read all films, page by page, while the worker spoils the second page.
"use strict"

async function careless(next) {
  const films = []
  while (next) {
    const page = await (await fetch(next)).json()
    films.push(...page.results)
    next = page.next
  }
  return films
}

async function careful(next, print) {
  const films = []
  for (let tries = 0; next;) {
    try {
      const signal = AbortSignal.timeout(1000)
      const response = await fetch(next, {signal})
      if (!response.ok) throw Error(`status ${response.status}`)
      const page = await response.json()
      const end = films.length + page.results.length
      const query = page.next && new URL(page.next).searchParams
      const follows = end < page.count
        ? query?.get("offset") === `${end}`
        : page.next === null && end === page.count
      if (!follows) {
        throw Error(`next is ${page.next} at ${end} of ${page.count}`)
      }
      films.push(...page.results)
      next = page.next
      tries = 0
    } catch (error) {
      if (++tries === 4) throw error
      print(`${error.message}: tries again`)
      await new Promise(done => setTimeout(done, tries * 500))
    }
  }
  return films
}

// setFault returns when the worker has the fault.
function setFault(fault) {
  return new Promise(resolve => {
    const {port1, port2} = new MessageChannel()
    port1.onmessage = resolve
    navigator.serviceWorker.controller.postMessage({fault}, [port2])
  })
}

async function breakIt(event) {
  const buttons = document.querySelectorAll("[data-fault]")
  for (const button of buttons) {
    button.disabled = true
    button.setAttribute("aria-pressed", button === event.target)
  }
  byID("careless").textContent = byID("careful").textContent = ""
  const {count} = await (await fetch("v1/films/?limit=1")).json()
  for (const client of [careless, careful]) {
    const output = byID(client.name)
    const print = line => output.append(line + "\n")
    await setFault(event.target.dataset.fault)
    output.classList.remove("fault")
    print(`${client.name} reads…`)
    const began = Date.now()
    let failed = true
    try {
      const late = new Promise((_, reject) => setTimeout(() => reject(new Error("it still waits, and you would too")), 5000))
      const films = await Promise.race([client("v1/films/?limit=4", print), late])
      failed = films.length !== count
      print(`${films.length} of ${count} films, no error`)
    } catch (error) {
      print(`${error.name}: ${error.message}`)
    }
    print(`${failed ? "✗" : "✓"} after ${((Date.now() - began) / 1000).toFixed(1)} s`)
    output.classList.toggle("fault", failed)
  }
  await setFault("")
  for (const button of buttons) button.disabled = false
}

for (const client of [careless, careful]) byID(client.name + "-source").textContent = client
for (const button of document.querySelectorAll("[data-fault]")) {
  button.addEventListener("click", event => breakIt(event).catch(error => show(`That failed: ${error.message}`, true)))
}
