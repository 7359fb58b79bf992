import { once } from "node:events"
import { createServer } from "node:net"
import t, { type Test } from "tap"
import { freeAddress, freeAddresses } from "../../../services/dev/port.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"

async function occupy(t: Test, host: string) {
  const server = createServer().listen(0, host)
  await once(server, "listening")
  t.teardown(() => server.close())
  return (server.address() as { port: number }).port
}

t.test("a taken port is reported in one sentence, with the setting to change", async (t) => {
  const port = await occupy(t, "127.0.0.1")
  await t.rejects(freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port }), {
    code: ExitCode.unreachable,
    message: new RegExp(
      `port ${port} is taken.*localhost:${port}.*COUNTERSIGN_API_LISTEN=localhost:${port + (port > 65_525 ? -10 : 10)}$`,
    ),
  })
})

t.test("port 0 resolves to a free port", async (t) => {
  const { port } = await freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port: 0 })
  t.ok(port >= 20_000 && port < 32_000, "below the ports of outgoing connections")
  t.same(await freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port }), {
    host: "localhost",
    port,
  })
})

t.test("an address of another machine is refused with the reason", async (t) => {
  await t.rejects(freeAddress("COUNTERSIGN_API_LISTEN", { host: "203.0.113.7", port: 8080 }), {
    code: ExitCode.fault,
    message: /EADDRNOTAVAIL/,
  })
})

t.test("a taken port is reported with its setting", async (t) => {
  const port = await occupy(t, "127.0.0.1")
  await t.rejects(freeAddress("COUNTERSIGN_AUTH_PROXY_LISTEN", { host: "localhost", port }), {
    message: /: COUNTERSIGN_AUTH_PROXY_LISTEN=localhost:\d+$/,
  })
})

t.test("all taken ports are reported at once, with one line of settings that avoids them", async (t) => {
  const [api, worker] = [await occupy(t, "127.0.0.1"), await occupy(t, "127.0.0.1")]
  const at = (port: number) => ({ host: "localhost", port })
  const error: unknown = await freeAddresses({
    api: ["COUNTERSIGN_API_LISTEN", at(api)],
    dashboard: ["COUNTERSIGN_DASHBOARD_LISTEN", at(0)],
    worker: ["COUNTERSIGN_WORKER_LISTEN", at(worker)],
  }).catch((reason: unknown) => reason)
  const { code, lines } = error as { code: number; lines: string[] }
  t.equal(code, ExitCode.unreachable)
  t.equal(lines.length, 3)
  t.match(lines[0], `port ${api} is taken`)
  t.match(lines[1], `port ${worker} is taken`)
  const settings = [...(lines[2] ?? "").matchAll(/(\w+)=localhost:(\d+)/g)]
  t.strictSame(
    settings.map(([, name]) => name),
    ["COUNTERSIGN_API_LISTEN", "COUNTERSIGN_WORKER_LISTEN"],
  )
  for (const [, , port] of settings) t.notOk([api, worker].includes(Number(port)))
})
