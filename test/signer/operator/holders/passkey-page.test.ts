// A holder makes a passkey and approves an act on the page of their machine, in a real browser with a virtual authenticator.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { Chromium, findChromium, NO_CHROMIUM, type Page } from "../../../harness/chromium.ts"
import { USER_PRESENT } from "../../../harness/authenticator.ts"
import { Holder } from "../../../harness/holder-keys.ts"
import { closeLoopback, listenOnLoopback } from "../../../../signer/operator/holders/page/loopback.ts"
import { sealedSigner } from "../sealed-signer.ts"

const FORMAT = readFileSync("docs/formats/holder-act.md", "utf8")
/** The sample text of the format. */
const SAMPLE = (/^ {4}(countersign\/v1\/holder-act\n(?: {4}.*\n)+)/m.exec(FORMAT)?.[1] ?? "").replaceAll(
  /^ {4}/gm,
  "",
)
const browserPath = findChromium()
const skip = browserPath === undefined ? NO_CHROMIUM : false

/** A command that waits for its page: its address, and its result once the page is done. */
async function opened(t: Test, words: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, ["signer/operator/main.ts", "holder", ...words], {
    env: { PATH: process.env["PATH"] },
  })
  t.teardown(() => child.kill())
  let [out, log] = ["", ""]
  child.stdout!.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr!.on("data", (chunk: Buffer) => (log += chunk.toString()))
  const ended = once(child, "close").then(([status]) => ({ status: status as number | null, out, log }))
  const address = () => /http:\/\/localhost:\d+\/[0-9a-f]{32}\//.exec(log)?.[0]
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on("data", () => address() && resolve(address()!))
    void ended.then(() => reject(new Error(log)))
  })
  return { url, ended, press: (line: string) => child.stdin!.write(line) }
}

const press = (page: Page) => page.run(`await click("#go")`)
const resultOf = async (page: Page) => {
  await page.until(`shown("result")`)
  return page.run<string>(`return byId("line").value`)
}

t.test(
  "W146: a holder enrolls a passkey and approves with it, and the signer takes the approval",
  { skip },
  async (t) => {
    const browser = await Chromium.launch(browserPath!)
    t.teardown(() => browser.close())
    const page = await browser.open("about:blank")
    await page.addVirtualAuthenticator()
    const go = (url: string) => page.run(`location.href = args[0]`, url)
    const file = join(t.testdir(), "holder.passkey")
    const path = (name: string) => join(file, "..", name)

    const making = await opened(t, ["passkey", file])
    await go(making.url)
    await page.until(`shown("act") && text("title").startsWith("Make")`)
    await press(page)
    await page.until(`text("title") === "Try the passkey"`)
    await press(page)
    const publicKey = await resultOf(page)
    t.match(await making.ended, { status: 0, out: `${publicKey}\n` })
    const link = await page.run<string>(`return byId("download").href + " " + byId("download").download`)
    t.match(link, /^blob:http:\/\/localhost:\d+\/\S+ holder\.passkey\.public$/)
    t.match(publicKey, /^0[23][0-9a-f]{64}$/)
    t.match(readFileSync(file, "utf8"), new RegExp(`^${publicKey}\n[\\w-]+\n$`))
    t.equal(statSync(file).mode & 0o777, 0o600)

    const other = new Holder()
    const { run } = await sealedSigner(t, {}, { holders: [file, other.hex, new Holder().hex] })
    t.match(await run(["unlock", "--command"]), { status: 0 })
    const prepare = async (...more: string[]) => {
      const { out } = await run(["approve", "prepare", "accept-ledger", "--restored", ...more])
      writeFileSync(path("act.txt"), out)
      return out
    }
    const approve = async (word = file) => {
      const signing = await opened(t, ["sign", path("act.txt"), "--passkey", word])
      await go(signing.url)
      await page.until(`shown("act") && text("title") === "Approve this act"`)
      const shown = await page.run<string>(`return text("text")`)
      await press(page)
      const line = await resultOf(page)
      t.match(await signing.ended, { status: 0, out: `${line}\n` })
      return { shown, line }
    }
    const second = async (text: string) => {
      const { evidence } = other.approve(Buffer.from(text))
      writeFileSync(path("signature.der"), evidence.value as Uint8Array)
      const words = [
        "holder",
        "sign",
        path("act.txt"),
        "--signature",
        path("signature.der"),
        "--for",
        other.hex,
      ]
      writeFileSync(path("two.json"), (await run(words, "yes\n")).out)
    }
    const accept = (line: string) => {
      writeFileSync(path("one.json"), line)
      const approvals = ["one.json", "two.json"].flatMap((name) => ["--approvals", path(name)])
      return run(["accept-ledger", "--restored", ...approvals])
    }

    const expiring = await prepare("--within", "1")
    await second(expiring)
    const expired = (await approve()).line
    const [expiry = ""] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(expiring) ?? []
    await pause(Math.max(0, Date.parse(expiry) - Date.now()) + 100)
    t.match(await accept(expired), { status: 3, log: /this text expired at/ })

    const text = await prepare()
    const { shown, line } = await approve(publicKey)
    t.equal(`${shown}\n`, text, "the page shows each line of the text, with nonce and expiry")
    const both = async (otherText: string) => {
      writeFileSync(path("act.txt"), otherText)
      await second(otherText)
      return accept(JSON.stringify({ ...(JSON.parse(line) as object), text: otherText }))
    }
    t.match(await both(text.replace("Restored:      yes", "Restored:      no")), {
      status: 3,
      log: /the signer did not make this text/,
    })
    t.match(await both(await prepare()), {
      status: 3,
      log: /holder 1 is wrong: the passkey signed another text/,
    })
    writeFileSync(path("act.txt"), text)
    await second(text)
    t.match(await accept(line), { status: 0, out: /^The ledger is accepted\./ })
  },
)

t.test("W146: the page takes no answer but one of this passkey to this text", async (t) => {
  const holder = new Holder()
  const file = join(t.testdir(), "act.txt")
  const text = Buffer.from(SAMPLE)
  writeFileSync(file, text)
  const { url, ended } = await opened(t, ["sign", file, "--passkey", holder.hex])
  const step = new URL("step", url)
  t.match(await (await fetch(step)).json(), { lines: text.toString().trimEnd().split("\n") })
  const post = async (
    { evidence }: ReturnType<Holder["approveByPasskey"]>,
    spell = (member: string) => member,
  ) => {
    if (evidence.case !== "passkey") throw new Error("no assertion")
    const { authenticatorData, clientDataJson, signature } = evidence.value
    const [data, client, signed] = [authenticatorData, clientDataJson, signature].map((bytes) =>
      spell(Buffer.from(bytes).toString("base64url")),
    )
    const response = { authenticatorData: data, clientDataJSON: client, signature: signed }
    const answered = await fetch(step, { method: "POST", body: JSON.stringify({ response }) })
    return { status: answered.status, json: await answered.json() }
  }
  const refusedAs = (message: RegExp) => ({ status: 409, json: { message } })
  t.match(
    await post(holder.approveByPasskey(Buffer.from("another text"))),
    refusedAs(/the passkey signed another text/),
  )
  t.match(await post(new Holder().approveByPasskey(text)), refusedAs(/does not verify/))
  t.match(
    await post(holder.approveByPasskey(text, { flags: USER_PRESENT })),
    refusedAs(/did not verify its user/),
  )
  const unspelled = holder.approveByPasskey(text)
  t.match(await post(unspelled, (member) => `${member}!`), refusedAs(/is no base64url/))
  const { port } = step
  const browsers = ["127.0.0.1", "::1"].map((host) => connect({ host, port: Number(port) }))
  await Promise.all(browsers.map((browser) => once(browser, "connect")))
  const interrupted = `POST ${step.pathname} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-length: 9\r\n\r\n{`
  const leaving = connect({ host: "127.0.0.1", port: Number(port) })
  leaving.write(interrupted, () => leaving.destroy())
  await once(leaving, "close")
  const { status, json } = await post(holder.approveByPasskey(text))
  const { line } = json as { line: string }
  t.match({ status, line: JSON.parse(line) }, { status: 200, line: { publicKey: holder.hex } })
  t.match(await ended, { status: 0, out: `${line}\n` }, "connections that ask nothing do not keep it")
  browsers.forEach((browser) => browser.destroy())
})

/** A browser's answer to a creation, with a key of P-256 unless another is given. */
const created = (more: object = {}, key = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey) => ({
  id: "AAECAw",
  response: {
    attestationObject: "oA",
    clientDataJSON: "e30",
    publicKey: key.export({ format: "der", type: "spki" }).toString("base64url"),
    publicKeyAlgorithm: -7,
    ...more,
  },
})

t.test(
  "C-1851, W146: an answer that makes no passkey is refused in a plain sentence, and the page asks again",
  async (t) => {
    const file = join(t.testdir(), "holder.passkey")
    const { url, ended } = await opened(t, ["passkey", file])
    const step = new URL("step", url)
    const post = async (body: string) => {
      const answered = await fetch(step, { method: "POST", body })
      return { status: answered.status, ...((await answered.json()) as { message?: string; title?: string }) }
    }
    const refused = async (answer: unknown, message: RegExp) => {
      t.match(await post(typeof answer === "string" ? answer : JSON.stringify(answer)), {
        status: 409,
        message,
      })
    }
    const noKey = /^this passkey has no key of P-256 \(ES256\): make one with another authenticator$/
    await refused(created({ publicKeyAlgorithm: -257 }), noKey)
    await refused(created({}, generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey), noKey)
    await refused(created({ publicKey: "AAAA" }), noKey)
    for (const id of [undefined, 7, "", "no id!", "AAECAx"])
      await refused({ ...created(), id }, /its id is no base64url$/)
    t.match(await post(JSON.stringify(created())), { status: 200, title: "Try the passkey" })
    // The trial fails for one reason after another, and stays open.
    for (const answer of ["", "no JSON", "null", "[]", '{"response":null}', '{"response":{},"response":{}}'])
      await refused(answer, /^the browser's answer is no answer of a passkey: (?!.*JSON\.parse|.*Unexpected)/)
    const trial = (text: string) => {
      const { evidence } = new Holder().approveByPasskey(Buffer.from(text))
      if (evidence.case !== "passkey") throw new Error("no assertion")
      const { authenticatorData, clientDataJson, signature } = evidence.value
      const [data, client, signed] = [authenticatorData, clientDataJson, signature].map((bytes) =>
        Buffer.from(bytes).toString("base64url"),
      )
      return { response: { authenticatorData: data, clientDataJSON: client, signature: signed } }
    }
    for (let at = 0; at < 5; at += 1) await refused(trial("another text"), /the passkey signed another text/)
    await refused(trial("another text"), /the passkey signed another text/)
    t.match(await ended, { status: 3, out: "", log: /nothing was made or signed: 20 answers were refused/ })
    t.notOk(existsSync(file))
  },
)

t.test("W146: no other file is taken for a passkey's", (t) => {
  const directory = t.testdir()
  const { hex } = new Holder()
  // The second line of a key in PEM is sometimes spelled as an id is.
  let pem = ""
  while (!/^[\w-]+$/.test(pem.split("\n")[1] ?? "")) {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    pem = publicKey.export({ format: "pem", type: "spki" }).toString()
  }
  const contents = { pem, hex: `${hex}\n`, more: `${hex}\nAAEC\nAAEC\n`, short: `${hex}\nA\n` }
  writeFileSync(join(directory, "act.txt"), SAMPLE)
  for (const [name, content] of Object.entries(contents)) {
    const file = join(directory, name)
    writeFileSync(file, content)
    const { status, stderr } = spawnSync(
      process.execPath,
      ["signer/operator/main.ts", "holder", "sign", join(directory, "act.txt"), "--passkey", file],
      { encoding: "utf8", input: "", env: { PATH: process.env["PATH"] } },
    )
    t.match(
      { status, stderr },
      { status: 2, stderr: `it is no file of countersign-signer holder passkey` },
      name,
    )
  }
  t.end()
})

t.test("W146: no other program has the page's port on an address of localhost", async (t) => {
  const own = await listenOnLoopback((_, response) => response.end("own"))
  t.teardown(() => closeLoopback(own, false))
  for (const host of ["127.0.0.1", "[::1]"])
    t.equal(await (await fetch(`http://${host}:${own.port}/`)).text(), "own", host)
  const other = createServer()
  other.listen(0, "::1")
  await once(other, "listening")
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const taken = listenOnLoopback(() => undefined, port)
  await t.rejects(taken, { status: 1, message: /another program may listen on \[::1\]:\d+ \(EADDRINUSE\)/ })
  const again = createServer()
  again.listen(port, "127.0.0.1")
  await once(again, "listening")
  again.close()
})

t.test("W146: the page is of one address and one origin, and Enter ends it", async (t) => {
  const { url, ended, press: type } = await opened(t, ["passkey", join(t.testdir(), "holder.passkey")])
  const { pathname, port } = new URL(url)
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>(
      (resolve, reject) => {
        const call = request({
          host: "127.0.0.1",
          port,
          path,
          method,
          headers: { host: `localhost:${port}`, ...headers },
        })
        call.on("response", (response) => {
          response.resume()
          resolve({ status: response.statusCode, headers: response.headers })
        })
        call.on("error", reject)
        call.end()
      },
    )
  const own = await ask(pathname)
  t.match(own, {
    status: 200,
    headers: { "content-security-policy": /^default-src 'none'; script-src 'self';/ },
  })
  t.equal((await ask("/")).status, 404)
  t.equal((await ask(`/${"0".repeat(32)}/step`)).status, 404)
  t.equal((await ask(`${pathname}step`, { host: `attacker.example:${port}` })).status, 404, "a rebound name")
  t.equal(
    (await ask(`${pathname}step`, { origin: "http://localhost:1" }, "POST")).status,
    404,
    "another page",
  )
  t.equal((await ask(`${pathname}step`, {}, "POST")).status, 409, "an answer of no passkey")
  type("\n")
  t.match(await ended, { status: 3, out: "", log: /nothing was made or signed: it was ended here/ })
})
