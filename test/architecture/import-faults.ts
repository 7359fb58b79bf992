import { posix } from "node:path"
import { ANYWHERE, type Rule, type Rules } from "./rooms/rule.ts"

/** One source file by its path from the top folder. */
export type Source = { path: string; text: string }

/** Folders of services/ that belong to no process of their own. */
const SHARED: ReadonlySet<string> = new Set([
  "chains",
  "common",
  "database",
  "dev",
  "organization-file",
  "policy-advice",
  "terminal-client",
])

/**
 * Folders of modules: one feature each, in both halves of the signer under one name. The rest of the signer and other modules reach
 * a module through the indexes alone, which lie beside the modules.
 */
const MODULE_FOLDERS = ["signer/enclave/modules", "signer/core/modules"]

export type Imports = { specifiers: string[]; computed: boolean }

/**
 * The imports of a file, by the few forms that this code base uses. Comments and strings that look like an import would be
 * counted too: that errs on the safe side.
 */
export function readImports(text: string): Imports {
  const forms = [
    /(?:^|[\n;}])\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']/g,
    /(?:^|[\n;}])\s*import\s*["']([^"']+)["']/g,
    /\b(?:import|require|require\.resolve)\(\s*["']([^"']+)["']/g,
  ]
  const specifiers = forms.flatMap((form) => [...text.matchAll(form)].map(([, specifier = ""]) => specifier))
  // A module has no require of its own; one that is created can load anything.
  const computed = /\bimport\(\s*[^"'\s)]/.test(text) || /\bcreateRequire\b/.test(text)
  return { specifiers: [...new Set(specifiers)], computed }
}

/** Breaches of the rules in one file of proto/, signer/ or services/. */
export function faultsOfImports(
  { path, text }: Source,
  rules: Rules,
  computedAllowed: readonly string[] = [],
): string[] {
  const room = roomOf(path, rules)
  if (room === undefined) return [`${path}: no rule for this room, decide in test/architecture/rooms/`]
  const rule = rules[room]
  if (rule === undefined) return []
  const { specifiers, computed } = readImports(text)
  const faults = specifiers.flatMap((specifier) => faultOfImport(path, room, rule, specifier) ?? [])
  if (computed && !computedAllowed.includes(path)) faults.push(`${path}: decides at run time what it imports`)
  return faults
}

/** Modules that show and check activities in browser and terminal alike. Only these two may import them. */
const SHARED_FILES = [
  "services/dashboard/words",
  "services/dashboard/api/signed-document.ts",
  "services/dashboard/api/verify.ts",
]

function isShared(path: string): boolean {
  return SHARED_FILES.some((shared) => isIn(path, shared) || path === shared)
}

/** Breaches of what holds whatever the rules say. */
export function faultsOfWalls({ path, text }: Source): string[] {
  const targets = readImports(text)
    .specifiers.filter(isRelative)
    .map((specifier) => target(path, specifier))
  return targets.flatMap((imported) => {
    if (isIn(path, "signer") && isIn(imported, "services")) return [`${path}: the signer imports ${imported}`]
    const isOutside = isIn(path, "services") && isIn(imported, "signer") && !isIn(imported, "signer/core")
    if (isOutside) return [`${path}: a service imports ${imported}, which is not in signer/core`]
    if (!isIn(path, "test") && isIn(imported, "test")) return [`${path}: imports ${imported}`]
    const module = moduleOf(imported)
    if (isIn(path, "signer") && module !== undefined && module !== moduleOf(path) && !isModuleIndex(path))
      return [`${path}: imports ${imported}, and only an index of modules may`]
    if (isActivityFile(path) && isBesideActivities(imported))
      return [`${path}: imports ${imported}, and activities get powers from their context alone`]
    const [from, to] = [serviceOf(path), serviceOf(imported)]
    if (from !== undefined && to !== undefined && from !== to && !SHARED.has(to) && !isShared(imported))
      return [`${path}: the service ${from} imports the service ${to}`]
    return []
  })
}

/** Folders of a module beside its activities, most with the kernel's state in reach: powers, calls, keys, settings. */
function isBesideActivities(path: string): boolean {
  return /^signer\/enclave\/modules\/[^/]+\/(?:powers|calls|keys|settings)\//.test(path)
}

function isActivityFile(path: string): boolean {
  return /^signer\/enclave\/modules\/[^/]+\/[^/]+$/.test(path)
}

function isModuleIndex(path: string): boolean {
  return MODULE_FOLDERS.includes(posix.dirname(path))
}

/** The name of a file's module, the same in both folders; undefined: it is of none. */
function moduleOf(path: string): string | undefined {
  const folder = MODULE_FOLDERS.find((one) => isIn(path, one) && !isModuleIndex(path))
  return folder && path.split("/")[folder.split("/").length]
}

/** Permissions of a room that none of its files uses: rooms, packages and modules of Node. */
export function unusedPermissions(sources: readonly Source[], rules: Rules): string[] {
  const byRoom = Map.groupBy(sources, ({ path }) => roomOf(path, rules))
  return Object.entries(rules).flatMap(([room, { rooms, packages = [], builtins = [] }]) => {
    const own = byRoom.get(room)
    if (own === undefined) return [`${room}: has no file`]
    const imported = own.flatMap(({ path, text }) =>
      readImports(text).specifiers.map((specifier) =>
        isRelative(specifier) ? target(path, specifier) : specifier,
      ),
    )
    const used = new Set(imported.flatMap(withFolders))
    const modules = builtins === "any" ? [] : builtins.map((name) => `node:${name}`)
    return [...rooms, ...packages, ...modules]
      .filter((open) => !used.has(open))
      .map((open) => `${room}: ${open}`)
  })
}

/** A path and each folder above it, the nearest first. */
function withFolders(path: string): string[] {
  const parts = path.split("/")
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"))
}

/** Breaches of purity in a room that may only see its arguments. */
export function faultsOfPurity({ path, text }: Source): string[] {
  const forbidden: [what: string, form: RegExp][] = [
    ["the clock", /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(/],
    ["timers", /(?<![.\w])(?:setTimeout|setInterval|setImmediate)\(/],
    ["the process and its environment", /(?<![.\w])process\.\w/],
    ["the network", /(?<![.\w])(?:fetch\(|WebSocket\b)/],
    ["the log", /(?<![.\w])console\.\w/],
    ["chance", /\bMath\.random\(/],
  ]
  const code = withoutComments(text)
  return forbidden.filter(([, form]) => form.test(code)).map(([what]) => `${path}: touches ${what}`)
}

export function roomOf(path: string, rules: Rules): string | undefined {
  return withFolders(path).find((room) => Object.hasOwn(rules, room))
}

function faultOfImport(path: string, room: string, rule: Rule, specifier: string): string | undefined {
  if (isRelative(specifier)) {
    const imported = target(path, specifier)
    const isAllowed =
      isIn(imported, room) || [...rule.rooms, ...ANYWHERE].some((open) => isIn(imported, open))
    return isAllowed ? undefined : `${path}: ${room} must not import ${imported}`
  }
  if (specifier.startsWith("node:")) {
    const name = specifier.slice("node:".length)
    const { builtins = [] } = rule
    const isAllowed =
      builtins === "any" || builtins.some((open) => name === open || name.startsWith(`${open}/`))
    return isAllowed ? undefined : `${path}: ${room} must not import ${specifier}`
  }
  const isAllowed = (rule.packages ?? []).some((open) => isIn(specifier, open))
  return isAllowed ? undefined : `${path}: ${room} must not import the package ${specifier}`
}

function target(path: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(path), specifier))
}

function serviceOf(path: string): string | undefined {
  return /^services\/([^/]+)\//.exec(path)?.[1]
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith(".") || specifier.startsWith("/")
}

function isIn(path: string, room: string): boolean {
  return path === room || path.startsWith(`${room}/`)
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1")
}
