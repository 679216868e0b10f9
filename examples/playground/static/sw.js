// The service worker of the playground. The build puts wasm_exec.js of the Go installation
// before this text and fills in the four constants.
"use strict"
const files = {} // names of the other files, with their hashes for fetch
const sizes = [] // of the program: compressed, and if the host decompresses it
const version = "" // depends on all files
const policy = "" // Content-Security-Policy of the files

const scope = new URL(registration.scope)
const caching = `backlist playground ${scope.pathname} ` // caches belong to the whole origin
const programName = "backlist.wasm.gz"
const filesCache = caching + version, stateCache = caching + "state"

// A new version replaces the old one when it has all files. The browser waits until the old
// one has answered its requests, so every write has been saved before the new one starts.
addEventListener("install", event => {
  skipWaiting()
  event.waitUntil(install())
})
addEventListener("activate", event => event.waitUntil(activate()))
addEventListener("message", event => {
  if (event.data === "claim") event.waitUntil(clients.claim())
  if (event.data.fault === undefined) return
  faults.set(event.source.id, event.data.fault)
  event.ports[0].postMessage(null)
})
addEventListener("fetch", event => {
  const url = new URL(event.request.url)
  if (!url.href.startsWith(scope.href)) return
  const name = url.pathname.slice(scope.pathname.length).replace(/^(index\.html)?$/, "./")
  const reads = ["GET", "HEAD"].includes(event.request.method)
  event.respondWith(reads && Object.hasOwn(files, name) ? serveFile(name) : serve(event))
})

async function install() {
  const cache = await caches.open(filesCache)
  await Promise.all(Object.keys(files).map(async name => cache.put(name, await download(name))))
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(caching) && name !== filesCache && name !== stateCache) await caches.delete(name)
  }
  program().catch(() => {}) // starts it before the first request
  await clients.claim()
}

// download fetches a file of this version. It fails if the host has another version. It checks
// the hash itself, because with the option integrity it could not report its progress to pages.
async function download(name) {
  const response = await fetch(name, {cache: "no-cache"})
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
  const chunks = []
  let loaded = 0, reported = 0
  for (const reader = response.body.getReader(); ;) {
    const {done, value} = await reader.read()
    if (done) break
    chunks.push(value)
    loaded += value.length
    if (name !== programName || Date.now() < reported + 100) continue
    reported = Date.now()
    report({loaded, total: sizes[chunks[0][0] === 0x1f ? 0 : 1]})
  }
  const data = new Blob(chunks)
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await data.arrayBuffer()))
  const hash = "sha256-" + btoa(String.fromCharCode(...digest))
  if (!files[name].split(" ").includes(hash)) throw new Error(`${name}: the host has another version`)
  return new Response(data, {headers: {"Content-Type": response.headers.get("Content-Type") ?? "application/octet-stream"}})
}

// report sends a message to the pages of the playground, including those that no worker serves yet.
async function report(message) {
  for (const client of await clients.matchAll({includeUncontrolled: true})) {
    if (client.url.startsWith(scope.href)) client.postMessage(message)
  }
}

// stored returns a file from the cache, or downloads it if the browser has cleared that.
async function stored(name) {
  return await (await caches.open(filesCache)).match(name) ?? await download(name)
}

async function serveFile(name) {
  program().catch(() => {}) // starts it before the first request
  try {
    const file = await stored(name)
    return new Response(file.body, {headers: {
      "Content-Type": file.headers.get("Content-Type"),
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-cache",
    }})
  } catch (error) {
    return failure(error)
  }
}

// serve waits for the program and passes a request to it. The browser adds Sec-Fetch-Site
// after the worker has seen a request, so serve derives it: only navigation can come from
// another site, and the handler's pages send a referrer to their own.
async function serve({request, clientId}) {
  try {
    const headers = new Map(request.headers)
    const foreign = request.mode === "navigate" && !request.referrer.startsWith(scope.origin + "/")
    headers.set("sec-fetch-site", foreign ? "cross-site" : "same-origin")
    const body = new Uint8Array(await request.arrayBuffer())
    const {answer, ended} = await program()
    const {body: content, ...rest} = await Promise.race([ended, new Promise(done =>
      answer({method: request.method, url: request.url, headers: [...headers], body}, done))])
    return await spoil(new URL(request.url), clientId, new Response(content, rest))
  } catch (error) {
    return failure(error)
  }
}

// spoil changes the next response to a request of a start page for the second page of films, if that
// start page has set a fault.
const faults = new Map() // by client
async function spoil(url, client, response) {
  const name = faults.get(client), {status, headers} = response
  if (!name || !url.pathname.endsWith("/v1/films/") || !url.searchParams.has("offset")) return response
  faults.delete(client)
  headers.delete("Content-Length")
  switch (name) {
  case "503": return Response.json({detail: "busy"}, {status: 503, headers: {"Retry-After": "1"}})
  case "cut": return new Response((await response.text()).slice(0, 100), {status, headers})
  case "wrong next": return new Response(JSON.stringify({...await response.json(), next: null}), {status, headers})
  case "delay": await new Promise(resolve => setTimeout(resolve, 10_000))
  }
  return response
}

function failure(error) {
  console.error(error)
  return Response.json({detail: `The playground failed: ${error.message}. Please try again.`}, {
    status: 503,
    headers: {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Retry-After": "1"},
  })
}

// program returns the running program. It starts one if there is none: at first, after the
// browser has stopped the worker, and after the program has ended.
let running
function program() {
  if (!running) {
    const starting = running = start()
    starting.then(started => started.ended).catch(() => { if (running === starting) running = undefined })
  }
  return running
}

async function start() {
  const go = new Go()
  const {instance} = await WebAssembly.instantiateStreaming(wasm(), go.importObject)
  return new Promise((resolve, reject) => {
    const started = answer => resolve({answer, ended}), failed = message => reject(new Error(message))
    globalThis.playground = {scope: scope.href, load, save, remove, started, failed}
    const ended = go.run(instance).then(() => { throw new Error("the program has ended") })
    ended.catch(reject)
  })
}

// wasm returns the program. A host may have decompressed it, if it sends a Content-Encoding.
async function wasm() {
  const data = await (await stored(programName)).blob()
  const [first, second] = new Uint8Array(await data.slice(0, 2).arrayBuffer())
  const compressed = first === 0x1f && second === 0x8b
  const stream = compressed ? data.stream().pipeThrough(new DecompressionStream("gzip")) : data.stream()
  return new Response(stream, {headers: {"Content-Type": "application/wasm"}})
}

// load, save and remove keep the texts of the program in a cache. The sample of the records is a file.
async function load(name) {
  const data = await (await caches.open(stateCache)).match(name) ?? (name === "records" ? await stored("records.json") : new Response())
  return new Uint8Array(await data.arrayBuffer())
}

async function save(name, data) {
  try {
    await (await caches.open(stateCache)).put(name, new Response(data))
  } catch (error) {
    await report({unsaved: error.message})
    throw error
  }
}

async function remove() {
  await caches.delete(stateCache)
}
