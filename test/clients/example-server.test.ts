import { execFile } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { servePage } from "../../examples/pages/serve.ts"

const PAGE = new Map([["index.html", Buffer.from("<h1>Page</h1>")]])

t.test("W16: the example's server acts for pages of localhost alone", async (t) => {
  const acted: unknown[] = []
  const act = async (body: unknown) => {
    acted.push(body)
    return { done: true }
  }
  const server = await servePage(0, PAGE, { apiUrl: "http://localhost:8080" }, new Map([["/act", act]]))
  t.teardown(() => server.close())
  const { address, port } = server.address() as { address: string; port: number }
  t.ok(["127.0.0.1", "::1"].includes(address), address)

  const send = (host: string, type: string, path = "/act") =>
    new Promise<string>((resolve, reject) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\n`
      const socket = connect(port, address, () =>
        socket.end(`${head}Content-Length: 2\r\nConnection: close\r\n\r\n{}`),
      )
      let text = ""
      socket.on("data", (bytes) => (text += bytes.toString()))
      socket.once("close", () => resolve(text))
      socket.once("error", reject)
    })

  for (const host of ["rebound.example", `rebound.example:${port}`, "localhost.example", "127.0.0.1", ""])
    t.match(await send(host, "application/json"), /^HTTP\/1\.1 421 /, host)
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    t.match(await send(`localhost:${port}`, type), /^HTTP\/1\.1 415 /, type)
  t.strictSame(acted, [])
  t.match(await send(`localhost:${port}`, "application/json"), /^HTTP\/1\.1 200 /)
  t.strictSame(acted, [{}])
  for (const path of ["//", "/../x", "http://other.example/act"])
    t.match(await send(`localhost:${port}`, "application/json", path), /^HTTP\/1\.1 404 /, path)
})

t.test("a taken port is reported before the page is built, with a command that takes another", async (t) => {
  const taken = createServer().listen(0, "localhost")
  await once(taken, "listening")
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const directory = t.testdir({ ".env.local": "BASE_URL=http://localhost:8080\n" })
  const script = `import { portOf } from "./examples/pages/port.ts"; console.log(await portOf("PORT", ${port}))`
  const run = (env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: join(import.meta.dirname, "..", ".."),
      env: { COUNTERSIGN_DATA_DIR: directory, npm_lifecycle_event: "example:passkey", ...env },
    })
  const { code, stderr } = (await run({}).catch((error: unknown) => error)) as {
    code: number
    stderr: string
  }
  t.equal(code, 1)
  t.equal(stderr, `port ${port} is taken; with another: PORT=${port + 10} npm run example:passkey\n`)
  await new Promise((resolve) => taken.close(resolve))
  t.equal((await run({ PORT: String(port) })).stdout, `${port}\n`)
})
