// Written twice, here and in `services/node/host.ts`, for the reason given in `exit-with-parent.ts`.
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Host } from "../core/install/install.ts"

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
  return {
    read: (path) => readText(at(path)),
    makeFolder(path, mode, user) {
      mkdirSync(at(path), { recursive: true, mode })
      chmodSync(at(path), mode)
      if (user !== undefined) chownSync(at(path), ...idsOf(user, readText(at("/etc/passwd")) ?? ""))
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

/** User and group in a line of /etc/passwd. */
function idsOf(name: string, passwd: string): [user: number, group: number] {
  const line = passwd.split("\n").find((one) => one.startsWith(`${name}:`))
  const [, , user, group] = line?.split(":") ?? []
  if (user === undefined || group === undefined) throw new Error(`${name} is not in /etc/passwd`)
  return [Number(user), Number(group)]
}
