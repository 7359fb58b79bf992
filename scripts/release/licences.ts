import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Locked } from "../generators/image-packages.ts"
import { type Entry, isFile } from "./entry.ts"
import { NODE } from "./node.ts"

/** A package of an archive: its folder, its entry in the lock and its files. */
export type ShippedPackage = { path: string; locked: Locked; files: readonly Entry[] }

/** Names of files in which packages keep their terms. */
const TERMS = /^(?:licen[cs]e|notice|copying|copyright)(?:[.-][\w.-]*)?$/i

const RULE = "=".repeat(80)

/** The terms of everything in an archive that others wrote, as its authors state them. */
export function thirdPartyLicences(root: string, packages: readonly ShippedPackage[]): string {
  const node = { title: `Node.js ${NODE.version}`, texts: [readFileSync(join(root, NODE.licence), "utf8")] }
  const parts = [node, ...packages.map((one) => ({ title: titleOf(one), texts: termsOf(one) }))]
  return parts
    .map(({ title, texts }) => [RULE, title, RULE, "", ...texts.map((text) => text.trim()), ""].join("\n"))
    .join("\n")
}

function titleOf({ path, locked: { version, license } }: ShippedPackage): string {
  return `${nameOf(path)} ${version}: ${license ?? "no licence is named"}`
}

/** The name of a package in a folder of the lock. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
}

function termsOf({ path, files }: ShippedPackage): string[] {
  return files
    .filter(isFile)
    .filter((file) => TERMS.test(file.path.slice(path.length + 1)))
    .map(({ data }) => data.toString())
}
