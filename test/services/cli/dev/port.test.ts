import { once } from "node:events"
import { createServer } from "node:net"
import t, { type Test } from "tap"
import { freeAddress } from "../../../../services/cli/dev/port.ts"
import { ExitCode } from "../../../../services/cli/exit.ts"

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
