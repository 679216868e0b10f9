// The start page of the playground: it sends requests.
"use strict"
const base = new URL(".", location.href)

async function start() {
  await install(base)
  const workers = navigator.serviceWorker
  workers.addEventListener("message", event => {
    if (event.data.unsaved) show(`The browser does not save the records (${event.data.unsaved}). Writes are lost when it stops the worker.`, true)
  })
  workers.addEventListener("controllerchange", () => show("A new version of the playground is running. Reload this page to use it."))
  const response = await fetch("api/events/?limit=1")
  if (!response.ok) throw new Error((await response.json()).detail)
  const {count} = await response.json()
  const films = await fetch("v1/films/?limit=3", {headers: {Accept: "application/json; indent=2"}})
  byID("live").textContent = await films.text()
  show(`Running in this browser, with ${count} events.`)
  byID("try").hidden = false
  await breakIt({target: document.querySelector('[data-fault="wrong next"]')}) // shows at once what the panel is for
  await makeFilms()
}

// makeFilms asks for the films, which the worker then makes. Nothing else is answered meanwhile.
async function makeFilms() {
  byID("made").textContent = "The worker makes them now."
  const began = performance.now()
  const {count} = await (await fetch("many/films/?limit=1")).json()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  byID("made").textContent = `The worker has ${count.toLocaleString("en")}${seconds > 0.2 ? `, made in ${seconds} s` : ""}. Each page says how long it takes.`
  byID("films").src = "many/films/?ordering=-year"
}

// paste makes a service of the visitor's JSON and shows a page of it.
async function paste(event) {
  event.preventDefault()
  const response = await fetch("pasted", {method: "PUT", body: byID("json").value})
  byID("found").textContent = await response.text()
  byID("found").classList.toggle("fault", !response.ok)
  byID("served").hidden = !response.ok
  byID("own").textContent = ""
  if (!response.ok) return
  const links = Object.values(await (await fetch("yours/")).json())
  byID("served").replaceChildren("Open ")
  for (const link of links.slice(0, 20)) {
    const path = link.slice(base.href.length)
    byID("served").append(Object.assign(document.createElement("a"), {href: link, textContent: path}), " ")
  }
  byID("own").textContent = await (await fetch(links[0] + "?limit=2", {headers: {Accept: "application/json; indent=2"}})).text()
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
byID("copy").addEventListener("click", attempt(async () => {
  await navigator.clipboard.writeText(byID("test").textContent)
  byID("copy").textContent = "Copied"
}))
byID("paste").addEventListener("submit", attempt(paste))
byID("reset").addEventListener("click", attempt(reset))
byID("remove").addEventListener("click", attempt(remove))
start().catch(error => show(`The playground cannot run here: ${error.message}`, true))
