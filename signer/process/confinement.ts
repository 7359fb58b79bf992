// What a process may still do where it runs, found out by trying: the signer's unit and sandbox should refuse all of it.
import { spawnSync } from "node:child_process"
import { createSocket } from "node:dgram"
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { type Check, ok } from "../core/checks.ts"

/** One thing that an intruder in the process would try. */
type Attempt = {
  name: string
  /** Where it was possible; undefined: everywhere refused. */
  possible: () => string | undefined | Promise<string | undefined>
  remedy: string
}

/** An address of documentation (RFC 5737): nothing answers, and where packets leave, the attempt hangs. */
const OUTSIDE = { host: "192.0.2.1", port: 443 }
const CONNECT_MS = 1_000

const PROGRAMS = ["/bin/sh", "/usr/bin/env", "/usr/bin/python3", "/usr/bin/perl"]

const UNIT = "run it by the unit that install writes (docs/self-hosting.md)"

/** @param root top folder of the program @param owned folder that the process may write */
export async function checkConfinement(root: string): Promise<Check[]> {
  const attempts: Attempt[] = [
    { name: "connect", possible: connectOutside, remedy: `give it no network: ${UNIT}` },
    {
      name: "write",
      possible: () => writeSomewhere([root, "/etc", "/usr", "/var", "/home"]),
      remedy: `let it write its own folder alone: ${UNIT}`,
    },
    { name: "spawn", possible: spawnProgram, remedy: `let it start no other program: ${UNIT}` },
    { name: "ptrace", possible: () => openOfOthers("mem"), remedy: `let it see no other process: ${UNIT}` },
    {
      name: "environ",
      possible: () => openOfOthers("environ"),
      remedy: `let it see no other process: ${UNIT}`,
    },
    { name: "inspector", possible: openInspector, remedy: "start it with --disable-sigusr1" },
  ]
  const checks: Check[] = []
  for (const { name, possible, remedy } of attempts) {
    const where = await possible()
    checks.push(
      where === undefined
        ? ok(`confinement: ${name}`, "refused")
        : { name: `confinement: ${name}`, state: "FAULT", sentence: `possible: ${where}; ${remedy}` },
    )
  }
  return checks
}

/** Packets that leave and are lost count as possible: nothing on this host refused them. */
async function connectOutside(): Promise<string | undefined> {
  const possible = await openConnection()
  return possible === undefined || (await isDatagramRefused()) ? undefined : possible
}

/** `IPAddressDeny` of a unit drops packets of a connection without a word. It refuses a datagram aloud. */
function isDatagramRefused(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4")
    socket.once("error", () => resolve(true))
    socket.send("", OUTSIDE.port, OUTSIDE.host, (error) => {
      socket.close()
      resolve(error !== null)
    })
  })
}

function openConnection(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(OUTSIDE)
    const end = (found: string | undefined) => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(CONNECT_MS, () => end(`packets to ${OUTSIDE.host} leave this host`))
    socket.once("connect", () => end(`${OUTSIDE.host} answers`))
    socket.once("error", () => end(undefined))
  })
}

function writeSomewhere(folders: readonly string[]): string | undefined {
  return folders.find((folder) => {
    const file = join(folder, `.countersign-confinement-${process.pid}`)
    return isPossible(() => {
      writeFileSync(file, "", { flag: "wx" })
      rmSync(file)
    })
  })
}

function spawnProgram(): string | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ["-c", ""], { stdio: "ignore" }).error === undefined)
}

/** Memory and environment of a process are behind the same check of the kernel as a debugger is. */
function openOfOthers(file: "mem" | "environ"): string | undefined {
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return others
    .map((name) => `/proc/${name}/${file}`)
    .find((path) =>
      isPossible(() => (file === "environ" ? readFileSync(path) : closeSync(openSync(path, "r")))),
    )
}

/** A signal from any process of the same user must not open a debugger. */
async function openInspector(): Promise<string | undefined> {
  if (!process.features.inspector) return undefined
  process.kill(process.pid, "SIGUSR1")
  await new Promise((resolve) => setImmediate(resolve))
  return process.getBuiltinModule("node:inspector").url()
}

function isPossible(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}
