// Follows docs/self-hosting.md on hosts, as an operator with one terminal a host does.
import { tmpdir } from "node:os"
import { locatePackage, usableBinaries } from "../../services/dev/embedded-postgres/binaries.ts"
import { type Block, blocksOf, textOf } from "../docs/markdown.ts"
import { type Ended, Machine } from "./machine.ts"

export const GUIDE = "docs/self-hosting.md"

export type Hosts = { signer: Machine; api: Machine }

const ADDRESSES = ["10.77.0.1", "10.77.0.2"] as const
const PASSWORD = "a-password"
const ONE_HOST = "the only host"

/** Eight words, by which lines are compared on two hosts. */
const WORDS = /\b[a-z]+(?:-[a-z]+){7}\b/g

/** Public keys, by the variable that the page uses for each. */
const KEYS: { readonly [variable: string]: RegExp } = {
  NOTARIZER_PUBLIC_KEY: /^notarizerPublicKey\s+([0-9a-f]+)$/m,
  FETCHER_PUBLIC_KEY: /^([0-9a-f]{326})$/m,
  AUTH_PROXY_PUBLIC_KEY: /^([0-9a-f]{66})$/m,
}

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

/**
 * Follows the page from its top to its end: runs each block of commands on the host that its first line names, writes the settings that it
 * shows, and starts its server of nginx. @returns blocks that name no host, by their lines, and what the last command printed, by its block
 */
export async function follow(hosts: Hosts, instead: (text: string) => Promise<boolean> = async () => false) {
  const withoutHost: string[] = []
  const printed = new Map<string, Ended>()
  for (const block of blocks) {
    const file = fileAbove(block)
    if (file !== undefined) await writeSettings(hosts, file, block.text)
    if (block.language === "nginx") await startTlsProxy(hosts.api, block.text)
    if (block.language !== "shell") continue
    const [place, ...named] = hostsOf(hosts, block)
    if (place === undefined) withoutHost.push(`${GUIDE}:${block.line}`)
    if (await instead(block.text)) continue
    for (const host of named) {
      const ended = await runBlock(hosts, host, block)
      printed.set(block.text, ended)
      for (const [variable, form] of Object.entries(KEYS)) {
        const [, key] = form.exec(ended.out) ?? []
        if (key !== undefined) setAll(hosts, { [variable]: key })
      }
    }
  }
  return { withoutHost, printed }
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

/** Lines that another host must answer are typed one by one, at a terminal. */
async function runBlock(hosts: Hosts, host: Machine, { text }: Block): Promise<Ended> {
  const start = text.includes("\nas ") ? AS : ""
  // A process that was started just now does not answer yet.
  if (text.includes(" doctor\n")) return { status: 0, out: await host.until(start + text), log: "" }
  if (!/\$(?:REQUEST|ANSWER)\b|join/.test(text))
    return { status: 0, out: await host.must(start + text), log: "" }
  let ended: Ended = { status: 0, out: "", log: "" }
  for (const line of text.trim().split("\n").slice(1)) {
    const words = ended.log.match(WORDS)?.at(-1)
    ended = await confirm(host, start + line)
    if (words !== undefined && !ended.log.includes(words))
      throw new Error(`${words} are not shown by: ${line}`)
    setAll(hosts, { REQUEST: ended.out, ANSWER: ended.out })
  }
  return ended
}

/** Runs a script at a terminal, and says yes to each question. */
async function confirm(host: Machine, script: string): Promise<Ended> {
  let answered = 0
  const ended = await host.atTerminal(script, (shown) => {
    const asked = shown.split("[y/N]").length - 1
    if (asked <= answered) return undefined
    answered = asked
    return "y\n"
  })
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
async function startPostgresql(api: Machine): Promise<void> {
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
