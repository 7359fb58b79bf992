// Archives whose bytes follow from their entries alone: sorted names, one time, no user, two modes. The format is ustar of POSIX.1, so
// every tar reads them.
import { gzipSync } from "node:zlib"
import { comparePaths, type Entry, inOrder, isFile } from "./entry.ts"

const BLOCK = 512
/** Bytes of a block of records: GNU tar warns about an archive that ends before. */
const RECORD = 20 * BLOCK

type Header = {
  path: string
  mode: number
  user?: number
  size: number
  type: "0" | "2" | "5"
  target: string
}

/** @param seconds the time of every entry, in seconds since 1970 */
export function tarOf(entries: readonly Entry[], seconds: number): Buffer {
  const parts = [...foldersOf(entries), ...inOrder(entries)]
    .toSorted((one, other) => comparePaths(one.path, other.path))
    .flatMap((entry) => blocksOf(entry, seconds))
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(RECORD - (size % RECORD) + (RECORD - (size % RECORD) < 2 * BLOCK ? RECORD : 0))
  return Buffer.concat([...parts, end])
}

/** RFC 1952 with no name and no time. Level 6 is where more work makes little smaller. */
export function gzipOf(data: Buffer): Buffer {
  return gzipSync(data, { level: 6 })
}

/** Folders above the entries: without them their modes would follow the umask of the person who unpacks. */
function foldersOf(entries: readonly Entry[]): { path: string }[] {
  const folders = new Set<string>()
  for (const { path } of entries)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      folders.add(path.slice(0, end + 1))
  const own = new Set(entries.map(({ path }) => path))
  return [...folders].filter((path) => !own.has(path)).map((path) => ({ path }))
}

function blocksOf(entry: Entry | { path: string }, seconds: number): Buffer[] {
  const { path } = entry
  if ("user" in entry) return [headerOf({ ...entry, size: 0, type: "5", target: "" }, seconds)]
  if ("target" in entry)
    return [headerOf({ path, mode: 0o777, size: 0, type: "2", target: entry.target }, seconds)]
  if (!("data" in entry) || !isFile(entry))
    return [headerOf({ path, mode: 0o755, size: 0, type: "5", target: "" }, seconds)]
  const { data, isExecutable } = entry
  const mode = isExecutable ? 0o755 : 0o644
  const header = headerOf({ path, mode, size: data.length, type: "0", target: "" }, seconds)
  return [header, data, Buffer.alloc(-data.length & (BLOCK - 1))]
}

/**
 * name(100) || mode(8) || uid(8) || gid(8) || size(12) || mtime(12) || checksum(8) || type(1) || link(100) || "ustar\0" || "00" ||
 * owner(32) || group(32) || device(16) || prefix(155)
 */
function headerOf({ path, mode, user = 0, size, type, target }: Header, seconds: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const [prefix, name] = splitPath(path)
  const write = (text: string, offset: number, length: number) => {
    if (Buffer.byteLength(text) > length) throw new Error(`${path}: a tar header has no room for ${text}`)
    header.write(text, offset)
  }
  write(name, 0, 100)
  write(octal(mode, 7), 100, 7)
  write(octal(user, 7), 108, 7)
  write(octal(user, 7), 116, 7)
  write(octal(size, 11), 124, 11)
  write(octal(seconds, 11), 136, 11)
  header.fill(" ", 148, 156)
  write(type, 156, 1)
  write(target, 157, 100)
  write("ustar\u{0}00", 257, 8)
  write(prefix, 345, 155)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\u{0} `, 148)
  return header
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0")
}

/** Prefix and name, divided at a slash so that both fit. */
function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ["", path]
  const at = path.indexOf("/", path.length - 101)
  if (at <= 0 || at === path.length - 1) throw new Error(`${path} is too long for a tar header`)
  return [path.slice(0, at), path.slice(at + 1)]
}
