// The seeds of sealed processes, and their shares, stand nowhere where a copy of the machine would find them.
import { spawnSync } from "node:child_process"
import { closeSync, globSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { SeedOwner } from "../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { openByShares } from "../../signer/core/sealed-seed/open.ts"
import { readShare } from "../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../signer/core/sealed-seed/share-words.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { createDeployment } from "../../signer/enclave/create-deployment.ts"
import { ceremony } from "../../signer/operator/ceremony/ceremony.ts"
import { placesOf } from "../../signer/operator/ceremony/seed-places.ts"
import { freePort } from "../harness/free-port.ts"
import { Program } from "../harness/program.ts"
import { bytesOf } from "../signer/core/sealed-seed/sets.ts"
import { CEREMONY, Holders } from "../signer/operator/ceremony/holders.ts"
import { sealedSigner } from "../signer/operator/sealed-signer.ts"

/** The texts in which a program could leave the seed. */
function formsOf(seed: Uint8Array): Buffer[] {
  const bytes = Buffer.from(seed)
  const hex = bytes.toString("hex")
  const texts = [hex, hex.toUpperCase(), bytes.toString("base64"), bytes.toString("base64url")]
  return [bytes, ...Array.from(new Set(texts), (text) => Buffer.from(text))]
}

function isIn(content: Buffer, seed: Uint8Array): boolean {
  return formsOf(seed).some((form) => content.includes(form))
}

const filesBelow = (directory: string) =>
  globSync("**/*", { cwd: directory })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())

/** More than a page, less than what a buffer of the reader costs. */
const CHUNK = 1024 * 1024
const ZEROS = Buffer.alloc(CHUNK)

/**
 * True if the memory of a process has the bytes. A core of these processes has 10 GiB of addresses that WebAssembly reserves, so what
 * they can read and write is read in their place.
 */
function isInMemory(pid: number, bytes: Uint8Array): boolean {
  const memory = openSync(`/proc/${pid}/mem`, "r")
  // Most of what is reserved was never written.
  const contains = (part: Buffer) => !part.equals(ZEROS.subarray(0, part.length)) && isIn(part, bytes)
  try {
    const regions = readFileSync(`/proc/${pid}/maps`, "latin1").matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)
    for (const [, from = "", to = ""] of regions)
      for (let at = Number.parseInt(from, 16); at < Number.parseInt(to, 16); at += CHUNK - OVERLAP)
        if (contains(readAt(memory, at, Math.min(CHUNK, Number.parseInt(to, 16) - at)))) return true
    return false
  } finally {
    closeSync(memory)
  }
}

/** The part that was read last. */
const PART = Buffer.alloc(CHUNK)
/** Longer than each form of a canary. */
const OVERLAP = 1024

/** What can be read of a region, which may be gone meanwhile. */
function readAt(file: number, position: number, length: number): Buffer {
  try {
    return PART.subarray(0, readSync(file, PART, 0, length, position))
  } catch {
    return PART.subarray(0, 0)
  }
}

/** The signer of the tests of its seed. */
const sealed = await sealedSigner(t)

t.test("W65: the seed is not in the core of a signer that was never unlocked", async (t) => {
  const { directory, signer, run, sheets, seed } = sealed
  t.match(await run(["unlock"], `${sheets[0]}\n\n`), { status: 3 })
  t.ok(isInMemory(signer.pid, Buffer.from(directory)), "memory is read")
  t.notOk(isInMemory(signer.pid, seed), "locked, with one share")
})

t.test(
  "W65: the seed of a sealed signer is in no file, log or environment, locked and unlocked",
  async (t) => {
    const { directory, signer, run, sheets, seed } = sealed
    const look = (when: string) => {
      const files = filesBelow(directory)
      t.ok(files.length > 3)
      t.strictSame(
        files.filter((file) => isIn(readFileSync(file), seed)),
        [],
        when,
      )
      t.notOk(isIn(Buffer.from(signer.output), seed), when)
      t.notOk(isIn(readFileSync(`/proc/${signer.pid}/environ`), seed), when)
    }
    look("locked")
    t.match(await run(["unlock"], `${sheets[2]}\n`), { status: 0 })
    look("unlocked")
    t.ok(isIn(Buffer.concat([Buffer.from("x"), seed]), seed), "a canary that is there is found")
    const unlocked = isInMemory(signer.pid, seed)
    t.comment(`unlocked: ${unlocked ? "a copy of the seed is in the core" : "no copy of the seed"}`)
  },
)

/** The other processes with seeds of their own. `waits`, `serves`: what they log. */
const OTHERS = [
  {
    owner: "fetcher",
    file: "signer/fetcher/main.ts",
    words: ["serve"],
    waits: /the seed is sealed/,
    serves: /the seed was unlocked|fetcher is up/,
  },
  {
    owner: "auth proxy",
    file: "services/auth-proxy/main.ts",
    words: [],
    waits: /the key is sealed/,
    serves: /listening/,
  },
] as const

/** Fetcher and auth proxy whose seeds were sealed with the signer's, 2 of 3; and what must be found nowhere. */
async function sealedOthers(t: Test) {
  const directory = mkdtempSync(join(tmpdir(), "cs-canary-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const environment = {
    COUNTERSIGN_DATA_DIR: directory,
    COUNTERSIGN_AUTH_PROXY_LISTEN: `127.0.0.1:${await freePort()}`,
    COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: "0",
  }
  const config = readConfig(environment)
  createDeployment(config)
  const files = {
    fetcherSeed: join(directory, "fetcher", "seed"),
    authProxyKey: join(directory, "auth-proxy", "key"),
  }
  const command = { ...CEREMONY, shares: 3, threshold: 2, ...files }
  const holders = new Holders()
  await ceremony(command, config, holders)
  const seedsOf = async () => {
    const canaries = new Map<string, Uint8Array>()
    for (const place of placesOf(config, command).slice(1)) {
      const stored = place.read()
      if (stored?.kind !== "sealed") throw new Error("not sealed")
      const owner = place.owner === SeedOwner.FETCHER ? "fetcher" : "auth proxy"
      const points = [1, 2].map((number) => readShareWords(holders.line(number, owner)).use(readShare).point)
      canaries.set(owner, bytesOf(await openByShares(stored.sealed, points)))
    }
    return canaries
  }
  const seeds = await seedsOf()
  const runOf = (file: string, words: readonly string[], input: string) =>
    spawnSync(process.execPath, [file, ...words], {
      env: { PATH: process.env["PATH"], ...environment },
      input,
      encoding: "utf8",
    })
  return { directory, environment, holders, seeds, runOf }
}

t.test(
  "W144: seeds and shares of fetcher and auth proxy are in no file, log or environment, sealed and open",
  async (t) => {
    const { directory, environment, holders, seeds, runOf } = await sealedOthers(t)
    for (const { owner, file, words, waits, serves } of OTHERS) {
      const program = new Program({ file, words, environment })
      t.teardown(() => program.stop())
      await program.until(waits)
      const seed = seeds.get(owner) ?? new Uint8Array()
      t.equal(seed.length, 32)
      const shares = [1, 2].map((number) => bytesOf(readShareWords(holders.line(number, owner))))
      const look = (when: string) => {
        const places = [
          ...filesBelow(directory).map((path) => readFileSync(path)),
          Buffer.from(program.output),
          readFileSync(`/proc/${program.pid}/environ`),
        ]
        for (const canary of [seed, ...shares])
          t.notOk(
            places.some((place) => isIn(place, canary)),
            `${owner}: ${when}`,
          )
        const typed = holders.line(1, owner).split(" ").slice(0, 8).join(" ")
        t.notOk(
          places.some((place) => place.includes(typed)),
          `${owner}: words, ${when}`,
        )
      }
      look("sealed")
      t.ok(isInMemory(program.pid, Buffer.from(directory)), "memory is read")
      t.notOk(isInMemory(program.pid, seed), `${owner}: the memory of a process that was never open`)
      const { status } = runOf(file, ["unlock"], `${holders.line(1, owner)}\n${holders.line(2, owner)}\n`)
      t.equal(status, 0)
      await program.until(serves)
      look("open")
      await program.stop()
    }
  },
)
