import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../..")
const PUBLISHED = resolve(ROOT, process.env["VECTORS_DIR"] ?? "../shared/vectors")

/** Vectors of our own, kept with the project: test/vectors/own/<name>.json. */
export function ownVectors<T>(name: string): T {
  return readJson<T>(resolve(ROOT, "test/vectors/own", `${name}.json`))
}

/**
 * Vectors published by others, kept beside the project (VECTORS_DIR, relative to the project's root). Pass
 * `options` to the test, so that it is skipped aloud where they are absent, and call `read` inside it.
 */
export function publishedVectors<T>(name: string): { options: { skip: string | false }; read: () => T } {
  const { path, options } = publishedFile(name)
  return { options, read: () => readJson<T>(path) }
}

/** The same for a file of another form. */
export function publishedFile(name: string): { options: { skip: string | false }; path: string } {
  const path = resolve(PUBLISHED, name)
  return { options: { skip: existsSync(path) ? false : "no vectors: set VECTORS_DIR" }, path }
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T
}
