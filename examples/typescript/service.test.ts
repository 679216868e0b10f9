// Tests a client against the fake service of examples/backlist, which each test resets.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, beforeEach, test } from "node:test";

type Page<T> = { count: number; next: string | null; results: T[] };
type Exchange = { method: string; url: string; status: number | null };

async function send<T>(method: string, url: string, body?: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : null });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status}`);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** The code under test: the names of all events, page by page. */
async function eventNames(service: string): Promise<string[]> {
  const names: string[] = [];
  for (let url: string | null = service + "/api/events/?ordering=id"; url; ) {
    const page: Page<{ name: string }> = await send("GET", url);
    names.push(...page.results.map((event) => event.name));
    url = page.next;
  }
  return names;
}

let program: ChildProcess, control: string, service: string;
const log = () => send<Exchange[]>("GET", control + "exchanges/");

before(async () => {
  let path = process.env.BACKLIST;
  if (!path) {
    path = join(mkdtempSync(join(tmpdir(), "backlist-")), "backlist");
    execFileSync("go", ["build", "-o", path, "../backlist"], { stdio: "inherit" });
  }
  const flags = ["-addr", "127.0.0.1:0", "-control", "127.0.0.1:0", "-open"];
  const child = spawn(path, flags, { stdio: ["ignore", "pipe", "inherit"] });
  program = child;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, url] = line.split(" "); // "serving http://…/api/", "control http://…/"
    if (what === "serving" && url) service = url.replace(/\/api\/$/, "");
    if (what === "control" && url) { control = url; break; }
  }
});
after(() => program.kill());
beforeEach(() => send("POST", control + "reset/"));

test("reads every page once", async () => {
  assert.equal((await eventNames(service)).length, 300);
  assert.deepEqual((await log()).map((e) => e.status), Array(15).fill(200));
});

test("reports a page that fails", async () => {
  await send("POST", control + "faults/", { fault: "GET /api/events/ 503 nth=2" });
  await assert.rejects(eventNames(service), /503/);
  assert.deepEqual((await log()).map((e) => e.status), [200, 503]);
});

test("returns to the first records", async () => {
  const links = service + "/api/social-links/";
  const { count } = await send<Page<object>>("GET", links);
  await send("POST", links, { title: "Site", url: "https://onda.example", type: "website", author: 1 });
  await send("POST", control + "reset/");
  assert.equal((await send<Page<object>>("GET", links)).count, count);
  assert.deepEqual((await log()).map((e) => e.method), ["GET"]); // since the reset
});
