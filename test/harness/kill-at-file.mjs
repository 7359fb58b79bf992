// Kills the process by SIGKILL before its n-th call that changes files, or that sends bytes to a server, n in KILL_AT. Loaded before the program.
// A process that ends by itself writes the number of such calls to the file of KILL_COUNT.
import fs from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"

const { writeFileSync } = fs
const killAt = Number(process.env["KILL_AT"])
let calls = 0

function counted(owner, name) {
  const original = owner[name]
  owner[name] = function (...parameters) {
    calls += 1
    if (calls === killAt) process.kill(process.pid, "SIGKILL")
    return original.apply(this, parameters)
  }
}

const handle = await promises.open(import.meta.filename)
const FileHandle = Object.getPrototypeOf(handle)
await handle.close()
for (const name of ["writeFile", "write", "sync"]) counted(FileHandle, name)
for (const name of ["open", "mkdir", "writeFile", "rename", "rm", "rmdir", "cp", "unlink"])
  counted(promises, name)
for (const name of [
  "openSync",
  "mkdirSync",
  "writeFileSync",
  "writeSync",
  "fsyncSync",
  "renameSync",
  "rmSync",
])
  counted(fs, name)
if (process.env["KILL_AT_SENT"] === "1") counted(net.Socket.prototype, "write")
syncBuiltinESMExports()
process.on("exit", () => {
  const file = process.env["KILL_COUNT"]
  if (file !== undefined) writeFileSync(file, String(calls))
})
