import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { proxyOperations } from "../contract/tables/proxy.ts"
import { PROXY_CONFIG_HEADER, PROXY_PREFIX } from "../contract/tables/wire.ts"
import { freePort } from "../harness/free-port.ts"

function startProcess(t: Test, environment: NodeJS.ProcessEnv, ...words: string[]) {
  const child = spawn(process.execPath, ["services/auth-proxy/main.ts", ...words], {
    env: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: t.testdirName, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  t.teardown(() => child.kill("SIGKILL"))
  const [printed, said] = [text(child.stdout), text(child.stderr)]
  const ended = once(child, "close").then(async ([status]) => ({
    status,
    printed: await printed,
    said: await said,
  }))
  return { child, ended }
}

t.test("the auth proxy as a process of its own", async (t) => {
  const port = await freePort()
  const { child, ended } = startProcess(t, { COUNTERSIGN_AUTH_PROXY_LISTEN: `localhost:${port}` })
  const alive = () => fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined)
  while (!(await alive())?.ok) await pause(25)

  t.test("not paired, serves nothing on both loopbacks, and says so", async (t) => {
    t.equal(proxyOperations.length, 8)
    for (const { path } of proxyOperations) {
      const reply = await fetch(`http://localhost:${port}${PROXY_PREFIX}${path}`, {
        method: "POST",
        body: "{}",
        headers: {
          [PROXY_CONFIG_HEADER]: "2b0e3b1c-0000-4000-8000-000000000000",
          origin: "https://app.example",
        },
      })
      const expected = { status: 503, message: /not paired with a signer/ }
      t.equal(reply.headers.get("access-control-allow-origin"), "https://app.example", path)
      t.match({ status: reply.status, ...((await reply.json()) as object) }, expected, path)
    }
    t.equal((await fetch(`http://localhost:${port}/readyz`)).status, 503)
  })

  t.test("answers an unknown path in JSON", async (t) => {
    const reply = await fetch(`http://localhost:${port}/v1/fly`, { method: "POST" })
    t.equal(reply.status, 404)
    t.match(await reply.json(), { code: 5, message: /\/v1\/fly/, details: [{ "@type": /Help/ }] })
  })

  t.test("stops on SIGTERM and ends with 0", async (t) => {
    child.kill("SIGTERM")
    const { status, said } = await ended
    t.equal(status, 0)
    t.match(said, /"auth-proxy".*"stopped"/)
  })
})

t.test("the auth proxy names all faults of its settings and opens no port", async (t) => {
  const { ended } = startProcess(t, {
    COUNTERSIGN_AUTH_PROXY_LISTEN: "0.0.0.0:0",
    COUNTERSIGN_AUTH_PROXY_LISTN: "x",
    COUNTERSIGN_LOG_LEVEL: "loud",
  })
  const { status, said } = await ended
  t.equal(status, 2)
  for (const name of ["AUTH_PROXY_LISTEN", "AUTH_PROXY_LISTN", "LOG_LEVEL"])
    t.match(said, `COUNTERSIGN_${name}: `)
})

t.test("the auth proxy reports that its port is taken", async (t) => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  const { status, said } = await startProcess(t, { COUNTERSIGN_AUTH_PROXY_LISTEN: `localhost:${port}` }).ended
  t.equal(status, 5)
  t.match(said, /this process cannot start: .* is in use/)
})

t.test("the public half of the proxy's own key is printed, and is that of the serving proxy", async (t) => {
  const directory = { COUNTERSIGN_DATA_DIR: t.testdir() }
  const printed = async () => (await startProcess(t, directory, "public-key").ended).printed
  const publicKey = (await printed()).trim()
  t.match(publicKey, /^0[23][0-9a-f]{64}$/)
  t.equal((await printed()).trim(), publicKey)
  const port = await freePort()
  const { child, ended } = startProcess(t, {
    ...directory,
    COUNTERSIGN_AUTH_PROXY_LISTEN: `localhost:${port}`,
    COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: "0",
  })
  const alive = () => fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined)
  while (!(await alive())?.ok) await pause(25)
  child.kill("SIGTERM")
  t.match((await ended).said, `"publicKey":"${publicKey}"`)
})

t.test("an unknown word is a fault of usage", async (t) => {
  const { status, said } = await startProcess(t, {}, "key").ended
  t.match({ status, said }, { status: 2, said: /no command "key": .* --help lists/ })
})
