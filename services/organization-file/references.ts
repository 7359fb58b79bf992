import { EXPRESSION_KINDS, isFault } from "../../signer/core/fault.ts"
import { readToken } from "../../signer/core/policy/language/lexer.ts"
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
export type ReferenceKind = (typeof KINDS)[number]

type Named = { kind: ReferenceKind; id: string; name: string }

/** The resource that a text refers to; undefined: it is no reference. */
export function readReference(text: string): { kind: ReferenceKind; name: string } | undefined {
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
      // If two resources have the same name, it is ambiguous and names neither.
      this.#ids.set(reference, this.#ids.has(reference) ? undefined : id)
    }
    for (const { kind, id, name } of all) {
      const reference = `@${kind}:${name}`
      if (this.#ids.get(reference) === id) this.#references.set(id, reference)
    }
  }

  /** Undefined: there is none, or there are several. */
  idOf(kind: ReferenceKind, name: string): string | undefined {
    return this.#ids.get(`@${kind}:${name}`)
  }

  /** The reference to the resource with this id; undefined: no name is its alone. */
  referenceTo(id: string): string | undefined {
    return this.#references.get(id.toLowerCase())
  }

  /** Names of a kind, for suggestions. */
  ofKind(kind: ReferenceKind): string[] {
    const prefix = `@${kind}:`
    return [...this.#ids.keys()]
      .filter((reference) => reference.startsWith(prefix))
      .map((reference) => reference.slice(prefix.length))
  }
}

export function namesOfLive(live: LiveOrganization): Names {
  return new Names(liveNames(live))
}

/** All names, with the credentials of one user: only the user's own MFA policies refer to those. */
export function namesOfUser(live: LiveOrganization, user: LiveUser | undefined): Names {
  return new Names([...liveNames(live), ...credentialsOf(user)])
}

/** Resources that references name, as the API lists them. */
export function liveNames(live: LiveOrganization): Named[] {
  const tagsOf = (type: string) => live.tags.filter(({ tagType }) => tagType === type)
  return [
    ...named("user", live.users, "userId", "userName"),
    ...named("tag", tagsOf("TAG_TYPE_USER"), "tagId", "tagName"),
    ...named("private-key-tag", tagsOf("TAG_TYPE_PRIVATE_KEY"), "tagId", "tagName"),
    ...named("session-profile", live.sessionProfiles, "sessionProfileId", "sessionProfileName"),
    ...named("wallet", live.wallets, "walletId", "walletName"),
    ...named("private-key", live.privateKeys, "privateKeyId", "privateKeyName"),
    ...named("email-template", live.emailTemplates, "templateId", "templateName"),
  ]
}

function credentialsOf(user: LiveUser | undefined): Named[] {
  if (user === undefined) return []
  return [
    ...named("api-key", user.apiKeys, "apiKeyId", "apiKeyName"),
    ...named("passkey", user.authenticators, "authenticatorId", "authenticatorName"),
    ...named("oauth", user.oauthProviders, "providerId", "providerName"),
  ]
}

function named<Item>(kind: ReferenceKind, items: readonly Item[], id: keyof Item, name: keyof Item): Named[] {
  return items.map((item) => ({ kind, id: String(item[id]), name: String(item[name]) }))
}

/** Names that the file gives to objects that others refer to, by kind; undefined: it has no such section. */
export function namesInFile(file: OrganizationFile): {
  readonly [kind in ReferenceKind]?: readonly string[] | undefined
} {
  return {
    user: file.users?.map(({ userName }) => userName),
    tag: file.userTags,
    "session-profile": file.sessionProfiles?.map(({ sessionProfileName }) => sessionProfileName),
    "private-key-tag": file.privateKeyTags?.map(({ privateKeyTagName }) => privateKeyTagName),
    "email-template": file.emailTemplates?.map(({ templateName }) => templateName),
  }
}

/** Resources that the file creates, with ids that stand for those of later. */
export function plannedNames(file: OrganizationFile, live: LiveOrganization): Named[] {
  const known = namesOfLive(live)
  const wanted = Object.entries(namesInFile(file)) as [ReferenceKind, readonly string[] | undefined][]
  return wanted
    .flatMap(([kind, names = []]) => names.map((name) => ({ kind, name })))
    .filter(({ kind, name }) => known.idOf(kind, name) === undefined)
    .map((one, index) => ({ ...one, id: placeholder(index) }))
}

/** An id that no resource has: ids of resources are UUIDs of version 7. */
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
export function expand(
  written: string,
  idOf: (kind: ReferenceKind, name: string) => string | undefined,
): Expanded {
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
    if (!isFault(fault, ...EXPRESSION_KINDS)) throw fault
  }
  return result + text.slice(copied)
}
