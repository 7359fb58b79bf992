// The reverse proxy of docs/self-hosting.md, by a real Caddy.
import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import t from "tap"
import { wallet } from "../e2e/wallets.ts"
import { hasOpenssl } from "../harness/openssl-authority.ts"
import { freePort } from "../harness/free-port.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { privateKeyHex } from "../harness/system.ts"
import { blocksOf, ROOT } from "./markdown.ts"

const blocks = blocksOf("docs/self-hosting.md")
const hasNginx = spawnSync("nginx", ["-v"]).status === 0
const hasCaddy = spawnSync("caddy", ["version"]).status === 0

t.test(
  "through the proxy of the page a published client signs",
  { skip: hasCaddy ? false : "needs Caddy" },
  async (t) => {
    const system = await sharedSystem()
    const created = await system.createOrganization()
    const { organizationId, root } = created
    const address = await wallet(system, created, "Proxied")
    const url = `https://localhost:${await freePort()}`
    const block = blocks.find(({ text }) => text.includes("reverse_proxy"))?.text ?? ""
    const site = block.slice(0, block.indexOf("}\n") + 2)
    t.ok(block.includes("login.example {\n  reverse_proxy localhost:8081\n}"), "the auth proxy likewise")
    const own = site
      .replace("wallet.example", new URL(url).host)
      .replace("localhost:8080", new URL(system.url).host)
    t.not(own, site)
    // Certificates of an authority of this test's own, and no other listener.
    const global = "{\n  local_certs\n  skip_install_trust\n  admin off\n  auto_https disable_redirects\n}\n"
    const values = {
      BASE_URL: url,
      ORGANIZATION_ID: organizationId,
      API_PUBLIC_KEY: root.publicKeyHex,
      API_PRIVATE_KEY: privateKeyHex(root),
      SIGN_WITH: address,
    }
    const lines = Object.entries(values).map(([name, value]) => `${name}="${value}"\n`)
    const pins = await (await fetch(`${system.url}/public/v1/pins`)).text()
    const folder = t.testdir({ Caddyfile: global + own, ".env.local": lines.join(""), "pins.json": pins })
    const caddy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")], {
      env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: ["ignore", "ignore", "pipe"],
    })
    t.teardown(async () => {
      if (caddy.exitCode === null && caddy.kill()) await once(caddy, "exit")
    })
    let log = ""
    caddy.stderr.on("data", (chunk) => (log += String(chunk)))
    const authority = join(folder, "caddy/pki/authorities/local/root.crt")
    const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: folder, NODE_EXTRA_CA_CERTS: authority }
    const isUp = () => log.includes("certificate obtained successfully") && existsSync(authority)
    while (!isUp() && caddy.exitCode === null) await pause(50)
    const { stdout } = await promisify(execFile)(process.execPath, ["examples/sign.ts"], { cwd: ROOT, env })
    t.match(stdout, /viem verifies it +yes/)
  },
)

t.test(
  "nginx accepts the page's server, and names a fault in it",
  { skip: hasNginx ? (hasOpenssl() ? false : "not run: no OpenSSL") : "not run: no nginx" },
  async (t) => {
    const folder = t.testdir()
    const key = ["-keyout", "wallet.example.key", "-out", "wallet.example.crt", "-subj", "/CN=wallet.example"]
    const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...key]
    t.equal(spawnSync("openssl", words, { cwd: folder }).status, 0)
    const server =
      blocks.find(({ language }) => language === "nginx")?.text.replaceAll("/etc/ssl", folder) ?? ""
    const parse = (text: string) => {
      writeFileSync(join(folder, "nginx.conf"), `pid ${folder}/pid;\nevents {}\nhttp {\n${text}}\n`)
      return spawnSync("nginx", ["-t", "-p", folder, "-c", join(folder, "nginx.conf")], { encoding: "utf8" })
    }
    t.match(parse(server), { status: 0, stderr: /test is successful/ })
    t.match(parse(server.replace("proxy_pass", "proxy_past")), { status: 1, stderr: /unknown directive/ })
  },
)
