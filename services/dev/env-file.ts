import { readFile, rename, rm, writeFile } from "node:fs/promises"

/** Values that published examples read. */
export type EnvValues = {
  url: string
  authProxyUrl: string
  dashboardUrl: string
  /** "" while organization Dev has no auth proxy. */
  authProxyConfigId: string
  organizationId: string
  publicKey: string
  privateKey: string
  userId: string
  walletId: string
  address: string
}

const BEGIN = "# >>> written by countersign dev; changes between these two lines are lost"
const END = "# <<< countersign dev"

/**
 * One line for each variable name that published examples use for these values. Variables that begin with NEXT_PUBLIC_,
 * VITE_ or EXPO_PUBLIC_ reach browsers, so none of them holds the private key.
 */
function envLines(values: EnvValues): string[] {
  return [
    "# Development only. The key is that of user root.",
    ...Object.entries(SPELLINGS).flatMap(([what, names]) =>
      names
        .split(" ")
        .map((name) => `${name}="${{ ...values, domain: "localhost" }[what as keyof EnvValues]}"`),
    ),
  ]
}

const SPELLINGS: Record<keyof EnvValues | "domain", string> = {
  url:
    "BASE_URL TURNKEY_BASE_URL TURNKEY_API_BASE_URL TURNKEY_API_URL " +
    "NEXT_PUBLIC_BASE_URL NEXT_PUBLIC_TURNKEY_BASE_URL NEXT_PUBLIC_TURNKEY_API_BASE_URL " +
    "VITE_TURNKEY_BASE_URL VITE_TURNKEY_API_BASE_URL " +
    "EXPO_PUBLIC_TURNKEY_API_BASE_URL EXPO_PUBLIC_TURNKEY_API_URL",
  organizationId:
    "ORGANIZATION_ID TURNKEY_ORGANIZATION_ID DEFAULT_ORGANIZATION_ID " +
    "NEXT_PUBLIC_ORGANIZATION_ID NEXT_PUBLIC_TURNKEY_ORGANIZATION_ID " +
    "VITE_TURNKEY_ORGANIZATION_ID EXPO_PUBLIC_TURNKEY_ORGANIZATION_ID",
  authProxyUrl:
    "AUTH_PROXY_URL TURNKEY_AUTH_PROXY_URL NEXT_PUBLIC_AUTH_PROXY_URL VITE_AUTH_PROXY_URL EXPO_PUBLIC_TURNKEY_AUTH_PROXY_URL",
  dashboardUrl: "DASHBOARD_URL",
  authProxyConfigId:
    "AUTH_PROXY_CONFIG_ID NEXT_PUBLIC_AUTH_PROXY_CONFIG_ID NEXT_PUBLIC_AUTH_PROXY_ID VITE_AUTH_PROXY_CONFIG_ID " +
    "EXPO_PUBLIC_TURNKEY_AUTH_PROXY_CONFIG_ID",
  publicKey: "API_PUBLIC_KEY TURNKEY_API_PUBLIC_KEY",
  privateKey: "API_PRIVATE_KEY TURNKEY_API_PRIVATE_KEY",
  userId: "USER_ID TURNKEY_USER_ID",
  walletId: "WALLET_ID TURNKEY_WALLET_ID",
  address: "SIGN_WITH TURNKEY_SIGN_WITH ETHEREUM_ADDRESS EOA_ADDRESS",
  domain:
    "NEXT_PUBLIC_RPID NEXT_PUBLIC_WEBAUTHN_RPID VITE_TURNKEY_RP_ID EXPO_PUBLIC_RPID EXPO_PUBLIC_TURNKEY_RP_ID",
}

/**
 * Replaces the block of `dev` and keeps all other lines. `values` undefined: removes the block. Returns false if nothing
 * changed.
 */
export async function writeEnvFile(file: string, values: EnvValues | undefined): Promise<boolean> {
  const before = await readFile(file, "utf8").catch(() => "")
  const block = values && [BEGIN, ...envLines(values), END].join("\n")
  const after = replaceBlock(before, block)
  if (after === before) return false
  if (after === "") {
    await rm(file, { force: true })
    return true
  }
  // A new file gets mode 0600 even if the old one was readable by others.
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, after, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return true
}

function replaceBlock(text: string, block: string | undefined): string {
  const start = text.indexOf(BEGIN)
  const end = text.indexOf(END, start)
  const [head, tail] =
    start < 0 || end < 0
      ? [text, ""]
      : [text.slice(0, start), text.slice(end + END.length).replace(/^\n/, "")]
  const first = head === "" || head.endsWith("\n") ? head : `${head}\n`
  return block === undefined ? first + tail : `${first}${block}\n${tail}`
}
