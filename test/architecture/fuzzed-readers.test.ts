// Every reader of bytes or text from outside has a fuzzer, or a reason to have none.
import { existsSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { READERS } from "../fuzz/readers/index.ts"
import type { Source } from "./import-faults.ts"
import { EXCEPTIONS } from "./unfuzzed-readers.ts"
import { ROOT, sourcesIn } from "./sources.ts"

/** Exported functions whose name says that they read. */
const READER = /^export (?:async )?(?:function\*?|const) ((?:parse|read|decode|open)[A-Z]\w*)/gm
/** Parameters of bytes or text. */
const FROM_OUTSIDE =
  /:\s*(?:string|Buffer|Uint8Array|unknown|readonly unknown\[\]|ByteSpan|SealedMessage|Uint8Array \| undefined|string \| Uint8Array)\b/

/** Names of a source's readers: `path readName`. */
function readersOf({ path, text }: Source): string[] {
  return [...text.matchAll(READER)]
    .filter(({ index }) => FROM_OUTSIDE.test(parametersOf(text.slice(index))))
    .map(([, name]) => `${path} ${name}`)
}

/** The text of a function between its first parenthesis and the end of it. */
function parametersOf(text: string): string {
  const from = text.indexOf("(")
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++
    else if (text[at] === ")" && --depth === 0) return text.slice(from, at)
  }
  return ""
}

const readers = ["proto", "signer/core", "signer/enclave"]
  .flatMap(sourcesIn)
  .filter(({ path }) => !path.startsWith("proto/gen/"))
  .flatMap(readersOf)
const fuzzed = Object.values(READERS).flatMap(({ reads }) =>
  Object.entries(reads as Readonly<Record<string, readonly string[]>>).flatMap(([path, names]) =>
    names.map((name) => `${path} ${name}`),
  ),
)

t.test("W176: every reader of bytes or text has a fuzzer, or a reason to have none", async (t) => {
  t.ok(readers.length > 100, `${readers.length} readers`)
  const excepted = new Set(Object.keys(EXCEPTIONS))
  t.strictSame(
    readers.filter((one) => !fuzzed.includes(one) && !excepted.has(one)),
    [],
  )
})

t.test("no reader that a fuzzer or an exception names is missing", async (t) => {
  t.strictSame(
    fuzzed.filter((one) => !readers.includes(one)),
    [],
    "fuzzers",
  )
  t.strictSame(
    Object.keys(EXCEPTIONS).filter((one) => !readers.includes(one) || fuzzed.includes(one)),
    [],
    "exceptions",
  )
})

t.test("the files that guide a fuzzer are there", async (t) => {
  const guides = Object.values(READERS).flatMap((one) => one.guides as readonly string[])
  t.strictSame(
    guides.filter((guide) => !existsSync(join(ROOT, guide))),
    [],
  )
  for (const [name, { guides: own, reads }] of Object.entries(READERS))
    for (const path of Object.keys(reads))
      t.ok(
        (own as readonly string[]).some(
          (guide) => path === guide || (guide.endsWith("/") && path.startsWith(guide)),
        ),
        `${name} is guided by ${path}`,
      )
})

t.test("a reader without a fuzzer is found", async (t) => {
  const text = [
    "export function readThing(bytes: Uint8Array): Thing {}",
    "export function readOther({ a }: Options): Thing {}",
    "export const parseText = (text: string) => text",
    "export async function openFile(\n  name: Options,\n  text: string,\n): Promise<Thing> {}",
    "export function useThing(bytes: Uint8Array) {}",
  ].join("\n")
  t.strictSame(readersOf({ path: "a.ts", text }), ["a.ts readThing", "a.ts parseText", "a.ts openFile"])
})
