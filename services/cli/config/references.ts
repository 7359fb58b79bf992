import { ExpressionFault } from "../../../signer/core/policy/expression.ts"
import { readToken } from "../../../signer/core/policy/language/lexer.ts"
import type { OrganizationFile } from "./file.ts"
import type { LiveOrganization, LiveUser } from "./live.ts"

/** Kinds of resources that expressions and settings name: `@tag:treasury` stands for the id of user tag treasury. */
const KINDS = [
  "user",
  "tag",
  "private-key-tag",
  "session-profile",
  "wallet",
  "private-key",
  "email-template",
  "api-key",
  "passkey",
  "oauth",
] as const
export type Kind = (typeof KINDS)[number]

type Named = { kind: Kind; id: string; name: string }

/** The resource that a text refers to; undefined: it is no reference. */
export function readReference(text: string): { kind: Kind; name: string } | undefined {
  const [, kind, name] = /^@([a-z-]+):(.+)$/s.exec(text) ?? []
  const known = KINDS.find((one) => one === kind)
  return known === undefined || name === undefined ? undefined : { kind: known, name }
}

/** Names of an organization's resources, and their ids. */
export class Names {
  readonly #ids = new Map<string, string | undefined>()
  readonly #references = new Map<string, string>()

  constructor(all: readonly Named[]) {
    for (const { kind, id, name } of all) {
      const reference = `@${kind}:${name}`
      // A name that two resources have stands for neither.
      this.#ids.set(reference, this.#ids.has(reference) ? undefined : id)
    }
    for (const { kind, id, name } of all) {
      const reference = `@${kind}:${name}`
      if (this.#ids.get(reference) === id) this.#references.set(id, reference)
    }
  }

  /** Undefined: there is none, or there are several. */
  idOf(kind: Kind, name: string): string | undefined {
    return this.#ids.get(`@${kind}:${name}`)
  }

  /** The reference to the resource with this id; undefined: no name is its alone. */
  referenceTo(id: string): string | undefined {
    return this.#references.get(id.toLowerCase())
  }

  /** Names of a kind, for suggestions. */
  ofKind(kind: Kind): string[] {
    const prefix = `@${kind}:`
    return [...this.#ids.keys()]
      .filter((reference) => reference.startsWith(prefix))
      .map((reference) => reference.slice(prefix.length))
  }
}

export function namesOfLive(live: LiveOrganization): Names {
  return new Names(liveNames(live))
}

/** Also the credentials of one user, which only their own MFA policies refer to. */
export function namesOfUser(live: LiveOrganization, user: LiveUser | undefined): Names {
  return new Names([...liveNames(live), ...credentialsOf(user)])
}

function liveNames(live: LiveOrganization): Named[] {
  return [
    ...live.users.map(({ userId: id, userName: name }) => ({ kind: "user" as const, id, name })),
    ...live.tags.map(({ tagId: id, tagName: name, tagType }) => ({
      kind: tagType === "TAG_TYPE_USER" ? ("tag" as const) : ("private-key-tag" as const),
      id,
      name,
    })),
    ...live.sessionProfiles.map(({ sessionProfileId: id, sessionProfileName: name }) => ({
      kind: "session-profile" as const,
      id,
      name,
    })),
    ...live.wallets.map(({ walletId: id, walletName: name }) => ({ kind: "wallet" as const, id, name })),
    ...live.privateKeys.map(({ privateKeyId: id, privateKeyName: name }) => ({
      kind: "private-key" as const,
      id,
      name,
    })),
    ...live.emailTemplates.map(({ templateId: id, templateName: name }) => ({
      kind: "email-template" as const,
      id,
      name,
    })),
  ]
}

function credentialsOf(user: LiveUser | undefined): Named[] {
  return [
    ...(user?.apiKeys ?? []).map(({ apiKeyId: id, apiKeyName: name }) => ({
      kind: "api-key" as const,
      id,
      name,
    })),
    ...(user?.authenticators ?? []).map(({ authenticatorId: id, authenticatorName: name }) => ({
      kind: "passkey" as const,
      id,
      name,
    })),
    ...(user?.oauthProviders ?? []).map(({ providerId: id, providerName: name }) => ({
      kind: "oauth" as const,
      id,
      name,
    })),
  ]
}

/** Resources that the file creates, with ids that stand for those of later. */
export function plannedNames(file: OrganizationFile, live: LiveOrganization): Named[] {
  const known = namesOfLive(live)
  const wanted: [Kind, string][] = [
    ...(file.users ?? []).map(({ userName }): [Kind, string] => ["user", userName]),
    ...(file.userTags ?? []).map((name): [Kind, string] => ["tag", name]),
    ...(file.sessionProfiles ?? []).map(({ sessionProfileName }): [Kind, string] => [
      "session-profile",
      sessionProfileName,
    ]),
    ...(file.privateKeyTags ?? []).map(({ privateKeyTagName }): [Kind, string] => [
      "private-key-tag",
      privateKeyTagName,
    ]),
    ...(file.emailTemplates ?? []).map(({ templateName }): [Kind, string] => [
      "email-template",
      templateName,
    ]),
  ]
  return wanted
    .filter(([kind, name]) => known.idOf(kind, name) === undefined)
    .map(([kind, name], index) => ({ kind, name, id: placeholder(index) }))
}

/** No resource has it: ids of resources are version 7. */
function placeholder(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`
}

export type Expanded = {
  text: string
  /** References that name nothing, as they are written. */
  missing: string[]
  /** Offset in the written text of an offset in `text`. */
  written: (offset: number) => number
}

/** The expression with ids in place of references. */
export function expand(written: string, idOf: (kind: Kind, name: string) => string | undefined): Expanded {
  const missing: string[] = []
  const edits: { at: number; before: number; after: number }[] = []
  const text = replaceStrings(written, (content, at) => {
    const reference = readReference(content)
    if (reference === undefined) return undefined
    const id = idOf(reference.kind, reference.name)
    if (id === undefined) missing.push(content)
    else edits.push({ at, before: content.length, after: id.length })
    return id
  })
  return { text, missing, written: (offset) => offsetBefore(offset, edits) }
}

function offsetBefore(
  offset: number,
  edits: readonly { at: number; before: number; after: number }[],
): number {
  let shift = 0
  for (const { at, before, after } of edits) {
    const start = at - shift
    if (offset <= start) break
    if (offset < start + after) return at
    shift += before - after
  }
  return offset + shift
}

/** The expression with references in place of ids that a name stands for. */
export function contract(text: string, names: Names): string {
  return replaceStrings(text, (content) => {
    const reference = names.referenceTo(content)
    return reference?.includes("'") ? undefined : reference
  })
}

/** Replaces the contents of string literals; `undefined` leaves one as it is. A text that is no expression stays. */
function replaceStrings(
  text: string,
  replace: (content: string, offset: number) => string | undefined,
): string {
  let result = ""
  let copied = 0
  let at = 0
  try {
    for (let token = readToken(text, at); token.kind !== "end"; token = readToken(text, at)) {
      at = token.offset + token.length
      if (token.kind !== "string") continue
      const content = replace(token.text, token.offset + 1)
      if (content === undefined) continue
      result += `${text.slice(copied, token.offset)}'${content}'`
      copied = at
    }
  } catch (fault) {
    if (!(fault instanceof ExpressionFault)) throw fault
  }
  return result + text.slice(copied)
}
