// What the start page and 404.html share: they install the service worker.
"use strict"
const byID = id => document.getElementById(id)

function show(message, fault) {
  byID("status").textContent = message
  byID("status").classList.toggle("fault", fault === true)
}

// install returns when the worker of a folder answers the requests of this page.
async function install(folder) {
  const workers = navigator.serviceWorker
  if (!workers) throw new Error(isSecureContext
    ? "this browser has no service workers, or not in private windows."
    : "service workers need https, or an address such as http://127.0.0.1.")
  workers.addEventListener("message", progress)
  workers.startMessages()
  const registration = await workers.register(new URL("sw.js", folder), {updateViaCache: "none"})
  await activated(registration)
  workers.removeEventListener("message", progress) // those of a new version
  show("Starting the program.")
  if (workers.controller) return
  const controlled = new Promise(resolve => workers.addEventListener("controllerchange", resolve, {once: true}))
  registration.active.postMessage("claim") // after a reload that bypasses the worker
  await controlled
}

function progress({data: {loaded, total}}) {
  if (total) show(`Downloading the program, once: ${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`)
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
