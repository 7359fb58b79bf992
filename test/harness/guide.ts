// Follows docs/self-hosting.md on hosts, as an operator with one terminal a host does.
import { tmpdir } from "node:os"
import { locatePackage, usableBinaries } from "../../services/dev/embedded-postgres/binaries.ts"
import { type Block, blocksOf, textOf } from "../docs/markdown.ts"
import { type Ended, Machine } from "./machine.ts"
import { SheetHolders } from "./sheet-holders.ts"

export const GUIDE = "docs/self-hosting.md"

export type Hosts = { signer: Machine; api: Machine }

/** Of the signer's host and of the API's host. */
export const ADDRESSES = ["10.77.0.1", "10.77.0.2"] as const
const PASSWORD = "a-password"
const ONE_HOST = "the only host"

/** Eight words, by which lines are compared on two hosts. */
const WORDS = /\b[a-z]+(?:-[a-z]+){7}\b/g

/** Public keys, by the variable that the page uses for each. */
const KEYS: { readonly [variable: string]: RegExp } = {
  NOTARIZER_PUBLIC_KEY: /^notarizerPublicKey\s+([0-9a-f]+)$/m,
  FETCHER_PUBLIC_KEY: /^([0-9a-f]{326})$/m,
  AUTH_PROXY_PUBLIC_KEY: /^([0-9a-f]{66})$/m,
  AUTH_PROXY_KEY: /^([A-Za-z0-9+/]{100,}={0,2})$/m,
}

/** The holders who unlock. */
const PRESENT = [5, 2, 3]

const lines = textOf(GUIDE).split("\n")
const blocks = blocksOf(GUIDE)

/** The function `as`, which each shell of an operator has. */
export const AS = blocks.find(({ text }) => text.includes("as() ("))?.text ?? ""

/** Two hosts that reach each other, with archives of a release in /srv, and a database server on the API's host. */
export async function startHosts(
  t: Parameters<typeof Machine.start>[0],
  archives: string,
  version: string,
): Promise<Hosts> {
  const hosts = { signer: await Machine.start(t, archives), api: await Machine.start(t, archives) }
  Machine.connect(hosts.signer, hosts.api, ADDRESSES)
  setAll(hosts, { VERSION: version, PASSWORD, SIGNER_HOST: ADDRESSES[0], API_HOST: ADDRESSES[1] })
  await startPostgresql(hosts.api)
  return hosts
}

export function setAll({ signer, api }: Hosts, variables: { readonly [name: string]: string }): void {
  for (const host of [signer, api]) host.set(variables)
}

/** Holders of sealed seeds; undefined: the page's way with plain seeds. */
type Seeds = SheetHolders | undefined

/**
 * Follows the page from its top to its end: runs each block of commands on the host that its first line names, writes the settings that it
 * shows, and starts its server of nginx.
 * @returns blocks that name no host, by their lines; what each block printed; and the time of each section, ms
 */
export async function follow(hosts: Hosts, seeds?: Seeds) {
  const withoutHost: string[] = []
  const printed = new Map<string, string>()
  const times = new Map<string, number>()
  for (const block of blocks.filter((one) => sectionOf(one) !== (seeds ? "Plain seeds" : "Sealed seeds"))) {
    const startMs = Date.now()
    const file = fileAbove(block)
    if (file !== undefined) await writeSettings(hosts, file, block.text)
    if (block.language === "nginx") await startTlsProxy(hosts.api, block.text)
    if (block.language === "shell") {
      const [place] = hostsOf(hosts, block)
      if (place === undefined) withoutHost.push(`${GUIDE}:${block.line}`)
      if (sectionOf(block) !== "Backup") printed.set(block.text, await runOnHosts(hosts, block, seeds))
    }
    const section = sectionOf(block)
    times.set(section, (times.get(section) ?? 0) + Date.now() - startMs)
  }
  return { withoutHost, printed, times }
}

/** Runs the commands of the page that make a backup. `carry`: called before the last, which is the signer's. */
export async function backUp(hosts: Hosts, carry: () => Promise<void>): Promise<void> {
  const own = blocks.filter((one) => one.language === "shell" && sectionOf(one) === "Backup")
  for (const block of own) {
    if (block === own.at(-1)) await carry()
    await runOnHosts(hosts, block, undefined)
  }
}

/**
 * What follows a restoration of signer and fetcher, by docs/RUNBOOKS.md: settings, certificates, starts and unlocking. The API keeps its
 * certificate, whose authority was restored.
 */
export async function goOn(hosts: Hosts, seeds: SheetHolders): Promise<void> {
  setAll(hosts, { SIGNER_HOST: ADDRESSES[0], API_HOST: ADDRESSES[1] })
  const [made] =
    /^ *sed -n .*restored-settings\.json[^]*?signer\.env$/m.exec(textOf("docs/RUNBOOKS.md")) ?? []
  if (made === undefined) throw new Error("docs/RUNBOOKS.md does not say how settings are restored")
  await hosts.signer.must(`${made}
    ${made.replace("countersign-signer/", "countersign-fetcher/fetcher/").replace("signer.env", "fetcher.env")}`)
  for (const block of blocks.filter(
    ({ language, text }) => language === "shell" && !/(?:as|pair) api /.test(text),
  ))
    if (["Certificates", "Units"].includes(sectionOf(block))) await runOnHosts(hosts, block, undefined)
  await hosts.signer.must("systemctl restart countersign-signer countersign-fetcher")
  await unlockAgain(hosts, hosts.signer, seeds)
  await hosts.api.must("systemctl start countersign-api countersign-worker")
  await hosts.api.until("curl --fail --silent http://localhost:8080/readyz")
}

/** The commands of a page under a heading, whichever host they name. */
export function commandsUnder(heading: string, page = GUIDE): string {
  const pageLines = textOf(page).split("\n")
  return blocksOf(page)
    .filter((one) => one.language === "shell" && sectionOf(one, pageLines) === heading)
    .map(({ text }) => text)
    .join("")
}

/** The heading above a block. */
function sectionOf({ line }: Block, pageLines = lines): string {
  const above = pageLines.slice(0, line).filter((one) => /^##+ /.test(one))
  return (above.at(-1) ?? "").replace(/^#+ /, "")
}

async function runOnHosts(hosts: Hosts, block: Block, seeds: Seeds): Promise<string> {
  const [, ...named] = hostsOf(hosts, block)
  let output = ""
  for (const host of named) {
    output = await runBlock(hosts, host, block, seeds)
    for (const [variable, form] of Object.entries(KEYS)) {
      const [, key] = form.exec(output) ?? []
      if (key !== undefined) setAll(hosts, { [variable]: key })
    }
    if (seeds !== undefined && block.text.includes("systemctl restart")) await unlockAgain(hosts, host, seeds)
  }
  return output
}

/** Processes with sealed seeds that were started again. */
async function unlockAgain(hosts: Hosts, host: Machine, seeds: SheetHolders): Promise<void> {
  for (const block of blocks.filter(({ text }) => / unlock\b/.test(text) && text.startsWith("# On")))
    if (hostsOf(hosts, block).includes(host))
      for (const line of commandsOf(block.text).filter((one) => / unlock\b/.test(one)))
        await typed(host, AS + line, seeds)
}

function commandsOf(text: string): string[] {
  return text
    .trim()
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .slice(1)
}

/** The place that the first line of a block names, and its hosts. */
function hostsOf({ signer, api }: Hosts, { text }: Block): [place?: string, ...hosts: Machine[]] {
  const [, place] = /^# On (.*)/.exec(text) ?? []
  switch (place) {
    case "the signer's host":
      return [place, signer]
    case "the API's host":
      return [place, api]
    case "both hosts":
      return [place, signer, api]
    case ONE_HOST:
      return [place]
    default:
      return []
  }
}

/** The file that the line above a block names. */
function fileAbove({ line }: Block): string | undefined {
  return /^`(\/etc\/countersign\/.*)`:$/.exec(lines[line - 3] ?? "")?.[1]
}

async function writeSettings({ signer, api }: Hosts, file: string, text: string): Promise<void> {
  const host = /signer|fetcher/.test(file) ? signer : api
  await host.must(`cat >> ${file} <<'END'\n${text.replace("PASSWORD", PASSWORD)}END`)
}

/** Commands that ask are typed one by one, at a terminal. @returns standard output */
async function runBlock(hosts: Hosts, host: Machine, { text }: Block, seeds: Seeds): Promise<string> {
  const start = text.includes("\nas ") ? AS : ""
  // A process that was started just now does not answer yet.
  if (text.includes(" doctor\n")) return host.until(start + text)
  if (!/\$(?:REQUEST|ANSWER)\b|join| ceremony | unlock\b/.test(text)) return host.must(start + text)
  const outputs: string[] = []
  let words: string | undefined
  for (const line of commandsOf(text)) {
    const { out, log } = await typed(host, start + line, seeds)
    if (words !== undefined && !log.includes(words)) throw new Error(`${words} are not shown by: ${line}`)
    words = line.includes("join") ? log.match(WORDS)?.at(-1) : undefined
    setAll(hosts, { REQUEST: out, ANSWER: out })
    outputs.push(out)
  }
  return outputs.join("\n")
}

/** Runs a script at a terminal: says yes to each question, and answers those for shares from the sheets. */
async function typed(host: Machine, script: string, seeds: Seeds): Promise<Ended> {
  let answered = 0
  const confirm = (shown: string) => {
    const asked = shown.split("[y/N]").length - 1
    if (asked <= answered) return undefined
    answered = asked
    return "y\n"
  }
  const [command = ""] = script.split("\n").slice(-1)
  const [, process] = /^as (\S+) .* unlock\b/.exec(command) ?? []
  const shares = process && seeds?.atUnlocking(process.replace("-", " "), PRESENT)
  const reply = shares || (command.includes(" ceremony ") ? seeds?.atCeremony : undefined) || confirm
  const ended = await host.atTerminal(script, reply)
  if (ended.status !== 0) throw new Error(`${script}\n${ended.out}\n${ended.log}`)
  return ended
}

/** The page's server of nginx, with a certificate for its name. */
async function startTlsProxy(api: Machine, server: string): Promise<void> {
  await api.must(`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=wallet.example \
    -addext subjectAltName=DNS:wallet.example -keyout /etc/ssl/wallet.example.key -out /etc/ssl/wallet.example.crt`)
  await api.must("echo '127.0.0.1 wallet.example' >> /etc/hosts")
  await api.write("/etc/nginx/nginx.conf", `events {}\nhttp {\n${server}}\n`, 0o644)
  await api.must("systemd-run --quiet --unit=test-nginx nginx -g 'daemon off;'")
}

/** PostgreSQL as a distribution sets it up: passwords over TCP, none for its own user. */
export async function startPostgresql(api: Machine): Promise<void> {
  const binaries = await usableBinaries(await locatePackage(), tmpdir(), undefined, () => undefined)
  const home = "/var/lib/postgresql"
  await api.must(`id postgres > /dev/null 2>&1 || useradd --system postgres
    rm -rf ${home} && mkdir -p /run/postgresql ${home} && chown postgres /run/postgresql ${home}
    cp -r ${binaries} ${home}/programs
    runuser -u postgres -- ${home}/programs/bin/initdb -D ${home}/data --auth-local=peer --auth-host=scram-sha-256 > /dev/null
    systemd-run --quiet --unit=test-postgresql --uid=postgres ${home}/programs/bin/postgres -D ${home}/data \
      -c unix_socket_directories=/run/postgresql -c listen_addresses=localhost`)
  await api.until("runuser -u postgres -- psql -c 'select 1'")
}
