// The host of an installation, as its file system and `useradd` make it.
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Host } from "./install.ts"

/** The text of a file; undefined: it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** This host, or the one whose files lie below `root`. */
export function hostAt(root: string): Host {
  const at = (path: string) => join(root, path)
  const idOf = (file: "passwd" | "group", name: string) => idIn(readText(at(`/etc/${file}`)) ?? "", name)
  return {
    read: (path) => readText(at(path)),
    makeFolder(path, mode, owner) {
      mkdirSync(at(path), { recursive: true, mode })
      if (owner !== undefined) chownSync(at(path), idOf("passwd", owner.user), idOf("group", owner.group))
      chmodSync(at(path), mode)
    },
    write(path, text, mode) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text, { mode })
      chmodSync(at(path), mode)
    },
    addUser(name) {
      const words = [
        "--system",
        "--user-group",
        "--no-create-home",
        "--shell",
        "/usr/sbin/nologin",
        ...(root === "/" ? [] : ["--prefix", root]),
      ]
      const { status, stderr, error } = spawnSync("useradd", [...words, name], { encoding: "utf8" })
      if (status !== 0) throw new Error(`useradd: ${error?.message ?? stderr.trim()}`)
    },
  }
}

/** The number in a line of /etc/passwd or /etc/group. */
function idIn(text: string, name: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${name}:`))
  const [, , id] = line?.split(":") ?? []
  if (id === undefined) throw new Error(`${name} is not in /etc/passwd and /etc/group`)
  return Number(id)
}
