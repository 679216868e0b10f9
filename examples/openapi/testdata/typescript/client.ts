// Client reads all pages of all collections of a service, with types that openapi-typescript
// generated, and prints what it read. Then it creates, filters and changes records.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const base = process.argv[2] ?? "";
// openapi-fetch does not know which lists are separated by commas. All that are sent here are.
const client = createClient<paths>({ baseUrl: base, querySerializer: { array: { style: "form", explode: false } } });

type Page = { count: number; next: string | null; results: { id: number }[] };

// A path of which GET returns a page.
type ListPath = {
  [P in keyof paths]: paths[P] extends { get: { responses: { 200: { content: { "application/json": Page } } } } } ? P : never;
}[keyof paths];

async function walk(path: ListPath) {
  const walked = { Count: 0, Records: 0, Pages: 0 };
  for (;;) {
    const { data, error } = await client.GET(path, { params: { query: { limit: 10, offset: walked.Records } } });
    if (data === undefined) throw new Error(`${path}: ${JSON.stringify(error)}`);
    walked.Count = data.count;
    walked.Records += data.results.length;
    walked.Pages++;
    if (data.next === null) return walked;
  }
}

// The operation of a path, such as listItemVariants of /api/item_variants/.
function operation(path: string): string {
  const words = path.split("/").at(-2)?.split(/[-_]/) ?? [];
  return "list" + words.map((w) => w.charAt(0).toUpperCase() + w.slice(1)).join("");
}

const root = await client.GET("/api/");
if (root.data === undefined) throw new Error("no root");
const read: Record<string, unknown> = {};
for (const url of Object.values(root.data)) {
  const path = new URL(url).pathname as ListPath;
  read[operation(path)] = await walk(path);
}
console.log(JSON.stringify(read));

const made = await client.POST("/api/films/", {
  body: { title: "Night", slug: "night", minutes: 90, price: "9.90", director: 2, premiereAt: "2026-05-10T18:00:00Z" },
});
if (made.data?.title !== "Night") throw new Error(JSON.stringify(made.error));

const link = await client.POST("/api/social-links/", {
  body: { title: "T", url: "nowhere", type: "instagram", author: 1_000_000 },
});
if (link.response.status !== 400 || link.error === undefined || !("author" in link.error && "url" in link.error)) throw new Error(JSON.stringify(link));

const films = await client.GET("/api/films/", {
  params: { query: { ordering: ["-minutes"], status__in: ["released"], minutes__range: ["2", "7"] } },
});
const minutes = films.data?.results.map((film) => film.minutes).join();
if (minutes !== "7,6,5,4,3,2") throw new Error(minutes);

const film = await client.PATCH("/api/films/{id}/", { params: { path: { id: 2 } }, body: { rating: null, status: "withdrawn" } });
if (film.data?.status !== "withdrawn" || film.data.rating !== null) throw new Error(JSON.stringify(film.error));
