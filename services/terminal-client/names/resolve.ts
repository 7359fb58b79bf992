import { readUuid } from "../../../signer/core/uuid.ts"
import { closestName } from "../../../signer/core/closest-name.ts"
import type { Querying } from "../api-client.ts"
import { usage } from "../exit.ts"
import { listAll } from "../list-all.ts"
import { isSignedKind, type Item, type Kind, KINDS, type Listing } from "./kinds.ts"
import type { SignedNames } from "./signed-names.ts"

/** Most names that a sentence lists. */
const MAX_SHOWN = 12

/**
 * The resources of one organization by their names. Each kind is listed at most once. With pins, users, policies and all
 * other objects of the signed document are read from it, so the API cannot make a name resolve to another id.
 */
export class Directory {
  readonly #querying: Querying
  readonly #pinsFile: string | undefined
  readonly #lists = new Map<string, Promise<Item[]>>()
  #signed: Promise<SignedNames | undefined> | undefined

  /** `pinsFile`: for names that decide what is stamped. */
  constructor(querying: Querying, pinsFile?: string) {
    this.#querying = querying
    this.#pinsFile = pinsFile
  }

  /** `more`: further members of the query, such as the user whose keys are listed. */
  async list(kind: Kind, more: { readonly userId?: unknown } = {}): Promise<Item[]> {
    const signed = isSignedKind(kind) ? await this.#signedNames() : undefined
    if (signed === undefined || !isSignedKind(kind)) return this.#listed(kind, more)
    const items = signed.list(kind, typeof more.userId === "string" ? more.userId : undefined)
    if (kind !== "key") return items
    // Sessions are listed as keys, and are in no document.
    const keyIds = new Set(signed.list(kind).map(({ apiKeyId }) => apiKeyId))
    const others = (await this.#listed(kind, more)).filter(({ apiKeyId }) => !keyIds.has(apiKeyId))
    return [...items, ...others]
  }

  #signedNames(): Promise<SignedNames | undefined> {
    const pinsFile = this.#pinsFile
    if (pinsFile === undefined) return Promise.resolve(undefined)
    // Loaded here: it verifies a signature, and most commands look no such name up.
    this.#signed ??= import("./signed-names.ts").then(({ readSignedNames }) =>
      readSignedNames(this.#querying, pinsFile),
    )
    return this.#signed
  }

  async #listed(kind: Kind, more: { readonly userId?: unknown }): Promise<Item[]> {
    const ofUsers = OF_USERS[kind]
    if (ofUsers !== undefined && !("userId" in more))
      return (await this.#listed("user", {})).flatMap((user) => (user[ofUsers] ?? []) as Item[])
    const { query: path, member, isListed = () => true, nameOf }: Listing = KINDS[kind]
    const cached = `${path} ${JSON.stringify(more)}`
    const found =
      this.#lists.get(cached) ??
      listAll(this.#querying, path, member, more).then((items) =>
        (items as Item[]).filter(isListed).map(named(nameOf)),
      )
    this.#lists.set(cached, found)
    return found
  }

  /** The id that a text stands for: an id, a name, or an unambiguous prefix of either. */
  async idOf(kind: Kind, text: string, more: { readonly userId?: unknown } = {}): Promise<string> {
    if (readUuid(text) !== undefined) return text.toLowerCase()
    return String((await this.find(kind, text, more))[KINDS[kind].id])
  }

  /** The whole name of what a text stands for; an id as it is. */
  async nameOf(kind: Kind, text: string, more: { readonly userId?: unknown } = {}): Promise<string> {
    if (readUuid(text) !== undefined) return text
    const item = await this.find(kind, text, more)
    return KINDS[kind].names.map((member) => item[member]).find(isText) ?? text
  }

  /** The object that a text names, as the API lists it. @throws {CliError} usage: none, or several */
  async find(kind: Kind, text: string, more: { readonly userId?: unknown } = {}): Promise<Item> {
    return chooseNamed(await this.list(kind, more), text, KINDS[kind])
  }
}

/** Kinds that the API lists for one user only, and the member of users that holds them. */
const OF_USERS: { readonly [kind in Kind]?: string } = {
  passkey: "authenticators",
  "mfa-policy": "mfaPolicies",
}

function named(nameOf: Listing["nameOf"]) {
  return (item: Item): Item => (nameOf === undefined ? item : { name: nameOf(item), ...item })
}

type Named = Pick<Listing, "id" | "noun" | "names">

/** The one item that the text names. An exact name or id wins over a prefix of another. @throws {CliError} usage */
export function chooseNamed<I extends Item>(
  items: readonly I[],
  text: string,
  { id, noun, names }: Named,
): I {
  const wanted = text.toLowerCase()
  const textsOf = (item: I) => [id, ...names].map((member) => item[member]).filter(isText)
  const exact = items.filter((item) => textsOf(item).includes(text))
  const fitting =
    exact.length > 0
      ? exact
      : items.filter((item) => textsOf(item).some((one) => one.toLowerCase().startsWith(wanted)))
  const [only] = fitting
  if (only !== undefined && fitting.length === 1 && text !== "") return only
  const shown = (item: I) => {
    const name = names.map((member) => item[member]).find(isText)
    return name === undefined ? String(item[id]) : `${name} (${String(item[id])})`
  }
  if (fitting.length > 1)
    throw usage(
      `“${text}” fits several: ${listed(fitting.map(shown))}. Give the whole name of one ${noun}, or its id`,
    )
  const known = items.map((item) => names.map((member) => item[member]).find(isText)).filter(isText)
  const near = closestName(text, known)
  if (near !== undefined) throw usage(`there is no ${noun} “${text}”: did you mean ${near}?`)
  // Equal names are listed with their ids.
  const isShared = new Set(known).size < known.length
  const all = isShared ? items.map(shown) : known
  throw usage(
    `there is no ${noun} “${text}”: ${all.length === 0 ? "there is none at all" : `there is ${listed(all)}`}`,
  )
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== ""
}

function listed(texts: readonly string[]): string {
  if (texts.length <= MAX_SHOWN) return texts.join(", ")
  return `${texts.slice(0, MAX_SHOWN).join(", ")} and ${texts.length - MAX_SHOWN} more`
}
