// Builds a release twice and compares every file: `npm run release:check`. The builds are in two clones of the present commit, each with
// packages that npm installs there, with another umask and time zone, and by another user where this one is root.
import { execFileSync } from "node:child_process"
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPairSync } from "node:crypto"
import { ROOT } from "./run.ts"

/** A user that every Linux has, for the second build. */
const NOBODY = 65534

type Builder = { name: string; umask: string; env: { [name: string]: string }; uid: number | undefined }

const isRoot = process.getuid?.() === 0
const BUILDERS: readonly Builder[] = [
  { name: "one", umask: "022", env: { TZ: "UTC", LANG: "C" }, uid: undefined },
  {
    name: "another",
    umask: "077",
    env: { TZ: "Pacific/Apia", LANG: "C.UTF-8" },
    uid: isRoot ? NOBODY : undefined,
  },
]

const folder = mkdtempSync(join(tmpdir(), "countersign-release-"))
try {
  execFileSync("chmod", ["0755", folder])
  const keyFile = join(folder, "throw-away.pem")
  writeFileSync(keyFile, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }), {
    mode: 0o644,
  })
  const [first = "", second = ""] = BUILDERS.map((builder) => build(builder, keyFile))
  const names = readdirSync(first)
  const others = readdirSync(second)
  const differing = [...new Set([...names, ...others])].filter(
    (name) =>
      !names.includes(name) ||
      !others.includes(name) ||
      !readFileSync(join(first, name)).equals(readFileSync(join(second, name))),
  )
  for (const name of names) console.log(`${differing.includes(name) ? "DIFFERS" : "equal"}  ${name}`)
  process.exitCode = differing.length > 0 || names.length < 2 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @returns the folder of the release */
function build({ name, umask, env, uid }: Builder, keyFile: string): string {
  const home = join(folder, name)
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, join(home, "clone")])
  if (uid !== undefined)
    for (const path of [
      home,
      ...readdirSync(home, { recursive: true, encoding: "utf8" }).map((one) => join(home, one)),
    ])
      chownSync(path, uid, uid)
  const script = `umask ${umask} && cd clone && npm ci --no-audit --no-fund --loglevel=error && npm run --silent release -- --key "$1" --out ../out`
  console.log(`building in ${home}`)
  execFileSync("sh", ["-c", script, "sh", keyFile], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ...env },
    stdio: ["ignore", "ignore", "inherit"],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  return join(home, "out")
}
