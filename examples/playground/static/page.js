// The start page of the playground: it installs the service worker and sends requests.
"use strict"
const byID = id => document.getElementById(id)
const base = new URL(".", location.href)

function show(message, fault) {
  byID("status").textContent = message
  byID("status").classList.toggle("fault", fault === true)
}

async function start() {
  const workers = navigator.serviceWorker
  if (!workers) throw new Error(isSecureContext
    ? "this browser has no service workers, or not in private windows."
    : "service workers need https, or an address such as http://127.0.0.1.")
  const updated = workers.controller !== null
  const registration = await workers.register("sw.js", {updateViaCache: "none"})
  await activated(registration)
  if (!workers.controller) {
    const controlled = new Promise(resolve => workers.addEventListener("controllerchange", resolve, {once: true}))
    registration.active.postMessage("claim") // after a reload that bypasses the worker
    await controlled
  }
  workers.addEventListener("message", event => {
    if (event.data.unsaved) show(`The browser does not save the records (${event.data.unsaved}). Writes are lost when it stops the worker.`, true)
  })
  workers.startMessages()
  workers.addEventListener("controllerchange", () => show("A new version of the playground is running. Reload this page to use it."))
  const response = await fetch("api/events/?limit=1")
  if (!response.ok) throw new Error((await response.json()).detail)
  const {count} = await response.json()
  show(`Running in this browser, with ${count} events.`)
  byID("try").hidden = false
}

// activated waits for the first version of the worker. Later ones replace it.
function activated(registration) {
  return new Promise((resolve, reject) => {
    const worker = registration.installing ?? registration.waiting
    if (registration.active || !worker) return resolve()
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve()
      if (worker.state === "redundant") reject(new Error("its files could not be downloaded. Please reload the page."))
    })
  })
}

async function send(event) {
  event.preventDefault()
  try {
    const path = byID("path").value.trim().replace(/^\/+/, "")
    const url = new URL("./" + path, base)
    if (!url.href.startsWith(base.href)) throw new Error("the path leads out of the playground.")
    const headers = new Headers()
    for (const line of byID("headers").value.split("\n").filter(line => line.trim())) {
      const [, name, value] = line.match(/^([^:]+):(.*)$/) ?? [null, line, ""]
      headers.append(name.trim(), value.trim())
    }
    const method = byID("method").value
    const body = byID("body").value
    if (body && ["GET", "HEAD"].includes(method)) throw new Error(`browsers send no body with ${method}.`)
    answer(await fetch(url, {method, headers, body: body || undefined, cache: "no-store"}))
  } catch (error) {
    byID("line").textContent = `The request was not sent: ${error.message}`
    byID("fields").textContent = byID("received").textContent = ""
  }
  byID("answer").hidden = false
}

async function answer(response) {
  const text = await response.text()
  const at = response.redirected ? ` (redirected to ${response.url})` : ""
  byID("line").textContent = `HTTP ${response.status} ${response.statusText}${at}`
  byID("fields").textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")
  byID("received").textContent = text.length > 100_000 ? `${text.slice(0, 100_000)}\n… ${text.length} characters` : text
}

function fill(event) {
  for (const name of ["method", "path", "body"]) byID(name).value = event.target.dataset[name] ?? ""
  byID("path").focus()
}

async function reset() {
  const response = await fetch("state", {method: "DELETE"})
  show(response.ok ? "The sample records are restored." : await response.text(), !response.ok)
}

async function remove() {
  await fetch("state", {method: "DELETE"}) // other tabs may keep the worker running
  await (await navigator.serviceWorker.getRegistration())?.unregister()
  for (const name of await caches.keys()) {
    if (name.startsWith(`backlist playground ${base.pathname} `)) await caches.delete(name)
  }
  byID("try").hidden = true
  show("The playground and its records are removed from this browser. Reload this page to install it again.")
}

const attempt = action => event => action(event).catch(error => show(`That failed: ${error.message}`, true))
byID("request").addEventListener("submit", attempt(send))
for (const button of document.querySelectorAll("button[data-method]")) button.addEventListener("click", fill)
byID("reset").addEventListener("click", attempt(reset))
byID("remove").addEventListener("click", attempt(remove))
start().catch(error => show(`The playground cannot run here: ${error.message}`, true))
