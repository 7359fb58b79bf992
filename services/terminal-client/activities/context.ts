// Names and interfaces for the words of requests. The API states the names; with pins, interfaces are those of the signed document.
import { existsSync } from "node:fs"
import { NO_INTERFACES } from "../../../signer/core/contract-interface/interfaces.ts"
import type { ReadBody } from "../../../signer/core/request/read-body.ts"
import {
  interfacesForWords,
  signedInterfaces,
  statedInterfaces,
} from "../../../signer/core/words/interfaces.ts"
import { hasCalls } from "../../../signer/core/words/request.ts"
import type { NameOf, WordsContext } from "../../../signer/core/words/words.ts"
import type { Stamping } from "../changes/stamping.ts"
import { KINDS, type Item, type Kind } from "../names/kinds.ts"
import { Directory } from "../names/resolve.ts"
import { readSignedContent } from "../names/signed-names.ts"

type Querying = Pick<Stamping, "client" | "organizationId" | "pinsFile">

/** Kinds that requests of every sort name. */
const NAMED: readonly Kind[] = ["user", "wallet", "policy", "private-key", "tag", "account"]

/** Kinds that only some requests name, by the member that does. */
const NAMED_BY: { readonly [member: string]: Kind } = {
  apiKeyIds: "key",
  authenticatorIds: "passkey",
  endpointId: "webhook-endpoint",
  fiatOnrampCredentialId: "on-ramp-credential",
  invitationId: "invitation",
  mfaPolicyId: "mfa-policy",
  oauth2CredentialId: "oauth2-credential",
  privateKeyTagId: "private-key-tag",
  privateKeyTagIds: "private-key-tag",
  sessionProfileId: "session-profile",
  smartContractInterfaceId: "interface",
  templateId: "email-template",
  velocityControlId: "velocity-control",
}

/** Names and interfaces for the words of these requests. */
export async function contextOf(requests: readonly ReadBody[], querying: Querying): Promise<WordsContext> {
  const directory = new Directory(querying)
  const [nameOf, interfaces] = await Promise.all([
    namesFor(requests, directory),
    requests.some(hasCalls) ? interfacesFor(directory, querying) : NONE,
  ])
  return { nameOf, ...interfaces }
}

const NONE = { interfaces: NO_INTERFACES, hasSignedInterfaces: false }

async function namesFor(requests: readonly ReadBody[], directory: Directory): Promise<NameOf> {
  const members = new Set(requests.flatMap(({ clean }) => Object.keys(clean)))
  const more = Object.keys(NAMED_BY).filter((member) => members.has(member))
  const kinds = new Set([...NAMED, ...more.flatMap((member) => NAMED_BY[member] ?? [])])
  const names = new Map<string, string>()
  for (const kind of kinds) {
    const { id, names: shown } = KINDS[kind]
    for (const item of await listed(directory, kind)) {
      const name = shown.map((member) => textOf(item[member])).find((text) => text !== "")
      if (name !== undefined) names.set(textOf(item[id]), name)
    }
  }
  const wallets = new Map(
    (await listed(directory, "wallet")).map((wallet) => [wallet["walletId"], wallet["walletName"]]),
  )
  for (const { address, name, walletId } of await listed(directory, "account"))
    names.set(textOf(address), textOf(name) || textOf(wallets.get(walletId)))
  return (id) => names.get(id) || undefined
}

/** A list that the API refuses has no names. */
function listed(directory: Directory, kind: Kind): Promise<Item[]> {
  return directory.list(kind).catch(() => [])
}

async function interfacesFor(directory: Directory, { client, organizationId, pinsFile }: Querying) {
  const stated = statedInterfaces(await listed(directory, "interface"))
  if (stated.length === 0) return NONE
  if (!existsSync(pinsFile)) return interfacesForWords(stated, undefined)
  const content = await readSignedContent({ client, organizationId }, pinsFile).catch(() => undefined)
  return interfacesForWords(stated, signedInterfaces(content))
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
