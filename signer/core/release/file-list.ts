/** One file of a release. Its path is relative to the top folder. */
export type ListedFile = { path: string; sha256: string }

/** Folder of a release's own files: lists, name, terms of what others wrote. A checkout has none. */
export const RELEASE_FOLDER = "release"

/** Name, version, platform and commit, as JSON. */
export const RELEASE_FILE = `${RELEASE_FOLDER}/release.json`

/** Tells Node that the release's code has no types any more. */
export const PLAIN_LOADER = `${RELEASE_FOLDER}/plain-code.mjs`

/** The list of one zone's files. */
export function listFileOf(zone: string): string {
  return `${RELEASE_FOLDER}/${zone}.sha256`
}

/** A digest and a path, as `sha256sum` prints them. No path has a part that is `.`, `..` or empty. */
const LINE = /^([0-9a-f]{64}) {2}((?!\/|\.{1,2}\/)[^\0\n\\]+)$/
const PART = /(?:^|\/)(?:\.{0,2})(?:\/|$)/

/** Lines as `sha256sum` prints them, in the order of the paths: `sha256sum --check` reads them too. */
export function writeFileList(files: readonly ListedFile[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("")
}

/** Undefined: the text is no such list, or has a path twice. */
export function readFileList(text: string): ListedFile[] | undefined {
  if (!text.endsWith("\n")) return undefined
  const files: ListedFile[] = []
  const paths = new Set<string>()
  for (const line of text.slice(0, -1).split("\n")) {
    const [, sha256 = "", path = ""] = LINE.exec(line) ?? []
    if (path === "" || PART.test(path) || paths.has(path)) return undefined
    paths.add(path)
    files.push({ path, sha256 })
  }
  return files
}
