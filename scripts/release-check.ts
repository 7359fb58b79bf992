// Builds a release twice and compares every file: `npm run release:check`. The builds are in two clones of the present commit, each with
// packages that npm installs there, with another umask and time zone; where this user is root by another user, and without a network.
import { execFileSync } from "node:child_process"
import { lchownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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

/** Installs as the user of this check, then builds as the builder, where root can without a network. @returns the folder of the release */
function build({ name, umask, env, uid }: Builder, keyFile: string): string {
  const home = join(folder, name)
  const clone = join(home, "clone")
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, clone])
  console.log(`installing packages in ${clone}`)
  shell(`umask ${umask} && npm ci --no-audit --no-fund --loglevel=error`, { cwd: clone, env: process.env })
  if (uid !== undefined)
    for (const path of ["", ...readdirSync(home, { recursive: true, encoding: "utf8" })])
      lchownSync(join(home, path), uid, uid)
  console.log(`building in ${home}`)
  const offline = isRoot
    ? "unshare --net setpriv --reuid UID --regid UID --clear-groups".replaceAll("UID", `${uid ?? 0}`)
    : ""
  const program = "./node_modules/node/bin/node scripts/release.ts"
  shell(`umask ${umask} && ${offline} ${program} --key "$KEY" --out ../out`, {
    cwd: clone,
    env: { PATH: process.env["PATH"], HOME: home, KEY: keyFile, ...env },
  })
  return join(home, "out")
}

function shell(script: string, options: { cwd: string; env: NodeJS.ProcessEnv }): void {
  execFileSync("sh", ["-c", script], { ...options, stdio: ["ignore", "ignore", "inherit"] })
}
