import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, stat, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { inOwnDirectory } from "../own-directory.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { deploy, type RunningDeployment } from "../suborgs/deployment.ts"

export type BackupsPlan = {
  /** Sub-organizations of the deployment. */
  count: number
  callers: number
  /** Length of the measurement without a backup. */
  seconds: number
}

/** Latencies of signatures, as their callers see them. */
export type Latencies = { signatures: number; p50Ms: number; p99Ms: number }

export type BackupRun = {
  machine: Machine
  count: number
  callers: number
  quiet: Latencies
  during: Latencies
  backup: { databaseSeconds: number; signerSeconds: number; bytes: number }
  restore: { databaseSeconds: number; signerSeconds: number; rehearsalSeconds: number }
  /** From the start of a signer with these organizations until it decides. */
  startSeconds: number
}

export const FULL_PLAN: BackupsPlan = { count: 100_000, callers: 8, seconds: 30 }
export const SHORT_PLAN: BackupsPlan = { count: 120, callers: 2, seconds: 0.5 }

const ROOT = resolve(import.meta.dirname, "../..")
const execute = promisify(execFile)

/** Fills a deployment, backs it up while it signs, and restores it beside. */
export function measureBackups(plan: BackupsPlan, say: (line: string) => void): Promise<BackupRun> {
  return inOwnDirectory(async ({ directory, interruption, stops }) => {
    const machine = describeMachine(directory)
    say(`fills a deployment with ${plan.count} sub-organizations`)
    const deployment = await deploy(join(directory, "deployment"), plan.count, (line) => {
      interruption.check()
      say(line)
    })
    stops.push(() => deployment.stop())
    const signWith = await createWallet(deployment)
    const files = await holderFiles(directory)
    const host = { data: join(directory, "deployment", "system"), url: deployment.databaseUrl }
    say("signs without a backup")
    const quiet = await signing(deployment, signWith, plan.callers, () => pause(plan.seconds * 1000))
    say("signs while a backup is made")
    const [part, archive] = [join(directory, "database.part"), join(directory, "backup")]
    const backup = { databaseSeconds: 0, signerSeconds: 0, bytes: 0 }
    const to = ["--to", files.holders]
    const during = await signing(deployment, signWith, plan.callers, async () => {
      backup.databaseSeconds = await timeOf(host, NODE, [
        "backup",
        "database",
        "create",
        ...to,
        "--out",
        part,
      ])
      backup.signerSeconds = await timeOf(host, SIGNER, ["backup", "create", ...to, "--out", archive, part])
    })
    backup.bytes = (await stat(archive)).size
    interruption.check()
    say("restores it")
    await deployment.sql`create database restored`
    const url = new URL(deployment.databaseUrl)
    url.pathname = "/restored"
    const empty = { data: join(directory, "empty"), url: url.href }
    await mkdir(empty.data)
    const from = [archive, "--key", files.key]
    const restore = {
      databaseSeconds: await timeOf(empty, NODE, ["backup", "database", "restore", ...from]),
      signerSeconds: await timeOf(empty, SIGNER, ["backup", "restore", ...from]),
      rehearsalSeconds: await timeOf(empty, SIGNER, ["backup", "rehearse", ...from]),
    }
    await deployment.stop()
    const startSeconds = await startOf(host)
    return { machine, count: plan.count, callers: plan.callers, quiet, during, backup, restore, startSeconds }
  })
}

const SIGNER = "signer/operator/main.ts"
const NODE = "services/node/main.ts"

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

type Host = { data: string; url: string }

const environmentOf = ({ data, url }: Host) => ({
  PATH: process.env["PATH"],
  COUNTERSIGN_DATA_DIR: data,
  DATABASE_URL: url,
})

/** Seconds until a signer of this host is ready. Another program asks it, so what that takes to start is among them. */
async function startOf(host: Host): Promise<number> {
  const startMs = performance.now()
  const signer = spawn(process.execPath, [join(ROOT, "signer/enclave/main.ts")], {
    env: environmentOf(host),
    stdio: "ignore",
  })
  try {
    await timeOf(host, SIGNER, ["status", "--wait", "300"])
    return (performance.now() - startMs) / 1000
  } finally {
    signer.kill()
    if (signer.exitCode === null) await once(signer, "exit")
  }
}

/** Seconds of a program of this release on a host. */
async function timeOf(host: Host, program: string, words: readonly string[]): Promise<number> {
  const env = environmentOf(host)
  const startMs = performance.now()
  await execute(process.execPath, [join(ROOT, program), ...words], { env })
  return (performance.now() - startMs) / 1000
}

async function holderFiles(directory: string): Promise<{ key: string; holders: string }> {
  const [key, holders] = [join(directory, "holder.pem"), join(directory, "holders")]
  const { stdout } = await execute(process.execPath, [join(ROOT, SIGNER), "backup", "key", "--out", key])
  await writeFile(holders, stdout)
  return { key, holders }
}

async function createWallet({ caller, parentId }: RunningDeployment): Promise<string> {
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }
  const parameters = { walletName: "Measured", accounts: [account] }
  const { status, text } = await caller.submit("create_wallet", "CREATE_WALLET", parentId, parameters)
  const [address] = /0x[0-9a-fA-F]{40}/.exec(text) ?? []
  if (status !== 200 || address === undefined) throw new Error(`no wallet: ${text}`)
  return address
}

/** Callers sign one after the other while `work` runs. */
async function signing(
  { caller, parentId }: RunningDeployment,
  signWith: string,
  callers: number,
  work: () => Promise<void>,
): Promise<Latencies> {
  const times: number[] = []
  const state = { isDone: false }
  let number = 0
  const sign = async () => {
    while (!state.isDone) {
      const payload = (number += 1).toString(16).padStart(64, "0")
      const parameters = {
        signWith,
        payload,
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      }
      const startMs = performance.now()
      const { status, text } = await caller.submit(
        "sign_raw_payload",
        "SIGN_RAW_PAYLOAD_V2",
        parentId,
        parameters,
      )
      if (status !== 200) throw new Error(`a signature was not made: ${text}`)
      times.push(performance.now() - startMs)
    }
  }
  const running = Promise.all(Array.from({ length: callers }, sign))
  await Promise.race([work(), running.then(() => undefined)]).finally(() => (state.isDone = true))
  await running
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { signatures: times.length, p50Ms: at(0.5), p99Ms: at(0.99) }
}
