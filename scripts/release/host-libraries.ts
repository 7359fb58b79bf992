import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "./entry.ts"
import type { HostLibrary } from "./sbom.ts"

export type HostLibraries = { entries: readonly Entry[]; libraries: readonly HostLibrary[] }

/** Where Debian keeps the terms of a package. */
const TERMS = "usr/share/doc"

/**
 * The C and C++ libraries that binaries of a release load, from this host: an image has no other. They come with their terms, and the
 * names and versions of their packages.
 * @throws on a host without Debian's packages, whose libraries nothing would name
 */
export function hostLibraries(binaries: readonly string[]): HostLibraries {
  const paths = [...new Set(binaries.flatMap(loadedBy))].toSorted()
  const packages = [...new Set(paths.map(packageOf))].toSorted()
  const distribution = /^ID=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? ""
  return {
    entries: [
      ...paths.map((path) => file(path.slice(1), realpathSync(path), true)),
      ...packages.map((name) =>
        file(`${TERMS}/${name}/copyright`, join("/", TERMS, name, "copyright"), false),
      ),
    ],
    libraries: packages.map((name) => {
      const version = output("dpkg-query", ["--show", "--showformat=${Version}", name])
      return { name, version, distribution }
    }),
  }
}

function file(path: string, source: string, isExecutable: boolean): Entry {
  return { path, isExecutable, data: readFileSync(source) }
}

/** Paths as the binary's loader finds them, its own among them. */
function loadedBy(binary: string): string[] {
  return output("ldd", [binary]).match(/(?<=\s)\/\S+(?= \()/g) ?? []
}

/** The package of a library. Debian names its files without the link from `/lib` to `/usr/lib`. */
function packageOf(path: string): string {
  const candidates = [path, realpathSync(path)].flatMap((one) => [one, one.replace(/^\/usr/, "")])
  for (const candidate of candidates.filter((one) => existsSync(one))) {
    const { status, stdout } = spawnSync("dpkg-query", ["--search", candidate], { encoding: "utf8" })
    if (status === 0) return stdout.split(":")[0] ?? ""
  }
  throw new Error(
    `${path} is of no package of this host: build images on Debian, or leave them out with --no-images`,
  )
}

function output(program: string, words: readonly string[]): string {
  const env = { ...process.env, LC_ALL: "C" }
  const { status, stdout, stderr, error } = spawnSync(program, words, { env, encoding: "utf8" })
  if (status !== 0)
    throw new Error(
      `${program}: ${error?.message ?? stderr.trim()}; build images on Debian, or leave them out with --no-images`,
    )
  return stdout
}
