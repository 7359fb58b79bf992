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

t.test("says in one sentence that a port is taken, and how to choose another", async (t) => {
  const port = await occupy(t, "127.0.0.1")
  await t.rejects(freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port }), {
    code: ExitCode.fault,
    message: new RegExp(
      `port ${port} is taken.*localhost:${port}.*COUNTERSIGN_API_LISTEN=localhost:${port + (port > 65_525 ? -10 : 10)}$`,
    ),
  })
})

t.test("resolves port 0 to one that is free", async (t) => {
  const { port } = await freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port: 0 })
  t.ok(port > 1023)
  t.same(await freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port }), {
    host: "localhost",
    port,
  })
})

t.test("explains an address that is not of this machine", async (t) => {
  await t.rejects(freeAddress("COUNTERSIGN_API_LISTEN", { host: "203.0.113.7", port: 8080 }), {
    message: /EADDRNOTAVAIL/,
  })
})

t.test("names the setting of the host whose port is taken", async (t) => {
  const port = await occupy(t, "127.0.0.1")
  await t.rejects(freeAddress("COUNTERSIGN_AUTH_PROXY_LISTEN", { host: "localhost", port }), {
    message: /: COUNTERSIGN_AUTH_PROXY_LISTEN=localhost:\d+$/,
  })
})
