import type { OrganizationDocument, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { ComparedText, VotePart } from "./compared-texts.ts"
import { possibleVotes } from "./credentials.ts"
import type { Approval } from "./decision-input.ts"

/** Values of the parts of votes that consensus expressions compare with texts. */
const VALUES: { readonly [part: VotePart]: (vote: Approval) => readonly string[] } = {
  "approvers.id": ({ user }) => [user.userId],
  "approvers.tags": ({ user }) => user.tagIds,
  "approvers.email": ({ user }) => [user.email],
  "approvers.alias": ({ user }) => [user.name],
  "credentials.id": ({ credentials }) => credentials.map(({ id }) => id),
  "credentials.user_id": ({ user }) => [user.userId],
  "credentials.type": ({ credentials }) => credentials.map(({ type }) => type),
  "credentials.credential_id": ({ credentials }) => credentials.map(({ credentialId }) => credentialId),
  "credentials.public_key": ({ credentials }) => credentials.map(({ publicKey }) => publicKey),
}

/**
 * The answers of a vote by one credential to tests. Votes with equal answers are alike to conditions that make no other
 * test. A test of tags has an answer for each tag.
 */
export function answersOf(vote: Approval, tests: readonly ComparedText[]): string {
  const tags = tests.filter(({ part }) => part === "approvers.tags")
  const answers = tests.map(({ part, texts }) => {
    if (part === "approvers.tags") return "-"
    const [value = ""] = valuesOf(part, vote)
    return texts.has(value) ? "1" : "0"
  })
  if (tags.length === 0) return answers.join("")
  const ofTags = vote.user.tagIds.map((tag) => tags.map(({ texts }) => (texts.has(tag) ? "1" : "0")).join(""))
  return [answers.join(""), ...new Set(ofTags.toSorted())].join(" ")
}

function valuesOf(part: VotePart, vote: Approval): readonly string[] {
  const values = VALUES[part]
  if (values === undefined) throw new Error(`votes have no ${part}`)
  return values(vote)
}

/** Users with the same tags whose credentials have the same types. */
export type UserKind = { readonly users: User[]; readonly family: KindFamily }

/** Kinds whose users differ in their tags alone, and all have tags or none has. */
export type KindFamily = { readonly kinds: UserKind[]; size: number }

type Kinds = {
  readonly families: readonly KindFamily[]
  readonly byUserId: ReadonlyMap<string, UserKind>
  readonly byTag: ReadonlyMap<string, ReadonlySet<UserKind>>
}

/** The users of an organization who can vote at one instant. Thousands of policies share it: each user is read once. */
export class Voters {
  readonly #document: OrganizationDocument
  readonly #nowMs: number
  #kinds: Kinds | undefined

  constructor(document: OrganizationDocument, nowMs: number) {
    this.#document = document
    this.#nowMs = nowMs
  }

  get users(): readonly User[] {
    return this.#document.users
  }

  get kinds(): Kinds {
    return (this.#kinds ??= kindsOf(this.users, this.#nowMs))
  }

  votesOf(user: User): readonly Approval[] {
    return possibleVotes(user, this.#nowMs)
  }

  /** Users for whom a test may be true, and kinds for which a test of tags may be. Kinds show the types of credentials. */
  *whereTrue({ part, texts }: ComparedText): Generator<User | UserKind> {
    if (part === "credentials.type") return
    const index = part === "approvers.tags" ? this.kinds.byTag : indexOf(this.#document, part)
    for (const text of texts) yield* index.get(text) ?? []
  }
}

function kindsOf(users: readonly User[], nowMs: number): Kinds {
  const families = new Map<string, KindFamily>()
  const kinds = new Map<string, UserKind>()
  const byUserId = new Map<string, UserKind>()
  const byTag = new Map<string, Set<UserKind>>()
  for (const user of users) {
    const votes = possibleVotes(user, nowMs)
    // Users without a vote are of no kind.
    if (votes.length === 0) continue
    const types = typesOf(votes)
    const family = getOrMake(families, `${user.tagIds.length > 0} ${types}`, () => ({ kinds: [], size: 0 }))
    const kind = getOrMake(kinds, `${user.tagIds.join()} ${types}`, () => {
      const made: UserKind = { users: [], family }
      family.kinds.push(made)
      for (const tag of user.tagIds) getOrMake(byTag, tag, () => new Set<UserKind>()).add(made)
      return made
    })
    kind.users.push(user)
    family.size += 1
    byUserId.set(user.userId, kind)
  }
  return { families: [...families.values()], byUserId, byTag }
}

const types = new WeakMap<readonly Approval[], string>()

function typesOf(votes: readonly Approval[]): string {
  const known = types.get(votes)
  if (known !== undefined) return known
  const names = new Set(votes.flatMap(({ credentials }) => credentials.map(({ type }) => type)))
  const joined = [...names].toSorted().join()
  types.set(votes, joined)
  return joined
}

type UsersByText = ReadonlyMap<string, ReadonlySet<User>>

/** Users by their values of one part of votes. A version of an organization's document never changes. */
const indexes = new WeakMap<OrganizationDocument, Map<VotePart, UsersByText>>()

function indexOf(document: OrganizationDocument, part: VotePart): UsersByText {
  const indexed = indexes.get(document) ?? new Map<VotePart, UsersByText>()
  indexes.set(document, indexed)
  return getOrMake(indexed, part, () => indexUsers(document.users, part))
}

function indexUsers(users: readonly User[], part: VotePart): UsersByText {
  const index = new Map<string, Set<User>>()
  for (const user of users) {
    // Votes at the beginning of time: credentials that expire are among them.
    for (const vote of possibleVotes(user, 0))
      for (const value of valuesOf(part, vote)) getOrMake(index, value, () => new Set<User>()).add(user)
  }
  return index
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
