import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { CertificateFiles } from "./certificates.ts"

/** The reason to skip a test that needs rsyslog with TLS; false: it is installed. */
export const skipWithoutRsyslog: string | false = hasRsyslog()
  ? false
  : "not run: apt-get install rsyslog rsyslog-openssl brings the receiver of syslog"

function hasRsyslog(): boolean {
  const drivers = [
    "/usr/lib/x86_64-linux-gnu/rsyslog/lmnsd_ossl.so",
    "/usr/lib/aarch64-linux-gnu/rsyslog/lmnsd_ossl.so",
  ]
  return spawnSync("rsyslogd", ["-v"]).status === 0 && drivers.some((path) => existsSync(path))
}

/** A real rsyslog that receives syslog over TLS and writes each message, as it is, to a file. */
export class Rsyslog {
  readonly port: number
  readonly #directory: string
  readonly #process: ChildProcess

  private constructor(port: number, directory: string, process: ChildProcess) {
    this.port = port
    this.#directory = directory
    this.#process = process
  }

  static async start(directory: string, port: number, files: CertificateFiles): Promise<Rsyslog> {
    const config = join(directory, "rsyslog.conf")
    writeFileSync(
      config,
      `global(workDirectory="${directory}" DefaultNetstreamDriverCAFile="${files.caFile}"
  DefaultNetstreamDriverCertFile="${files.certificateFile}" DefaultNetstreamDriverKeyFile="${files.keyFile}")
module(load="imtcp" StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="x509/name" PermittedPeer=["sender"])
input(type="imtcp" port="${port}" address="127.0.0.1")
template(name="fields" type="string" string="%pri% %app-name% %msgid%\\t%msg%\\n")
action(type="omfile" file="${join(directory, "received")}" template="fields")
`,
    )
    const words = ["-n", "-f", config, "-i", join(directory, "rsyslog.pid")]
    const process = spawn("rsyslogd", words, { stdio: "ignore" })
    const receiver = new Rsyslog(port, directory, process)
    while (!(await isListening(port))) {
      if (process.exitCode !== null) throw new Error(`rsyslogd ended with ${process.exitCode}`)
      await pause(20)
    }
    return receiver
  }

  /** Fields and records of the messages that were received. */
  get received(): { fields: string; line: string }[] {
    const file = join(this.#directory, "received")
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []
    return lines.map((text) => {
      const [fields = "", line = ""] = text.split("\t")
      return { fields, line: line.trimStart() }
    })
  }

  /** Resolves once so many different records were received. */
  async until(count: number): Promise<void> {
    while (new Set(this.received.map(({ line }) => line)).size < count) await pause(20)
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    this.#process.kill("SIGTERM")
    await once(this.#process, "exit")
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("error", () => resolve(false))
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
  })
}
