// Members of a request for its sentence. Each mentioned member is recorded, so that a list can show that others were left out.
import type { DescField, DescMessage } from "@bufbuild/protobuf"
import { isFieldSet } from "@bufbuild/protobuf"
import { valueOf } from "./members.ts"
import { bytesText, valueText } from "./values.ts"
import { isWhollyListed, listed } from "./text.ts"
import type { NameOf } from "./words.ts"

/** Names of the members of a message. */
type MemberOf<P> = Exclude<keyof P & string, "$typeName" | "$unknown">

/** Items of a list of messages. */
type ItemOf<V> = V extends readonly (infer Item extends object)[] ? Item : never

/** `mentioned`: paths of the members that the sentence mentions. */
type Mentions = { readonly nameOf: NameOf; readonly mentioned: Set<string> }

/** The members of a message as phrases. */
export class MemberPhrases<P extends object> {
  readonly raw: P
  readonly #schema: DescMessage
  readonly #path: string
  readonly #mentions: Mentions

  constructor(schema: DescMessage, raw: P, mentions: Mentions, path = "") {
    this.raw = raw
    this.#schema = schema
    this.#mentions = mentions
    this.#path = path
  }

  has(name: MemberOf<P>): boolean {
    return isFieldSet(this.raw as never, this.#field(name))
  }

  /** A member's value in words: names beside ids, text in quotes, a list with "and". */
  say(name: MemberOf<P>): string {
    const field = this.#field(name)
    const value = valueOf(field, this.raw)
    if (!Array.isArray(value)) {
      this.mention(name)
      return this.#words(field, value)
    }
    if (isWhollyListed(value)) this.mention(name)
    return listed(value.map((item) => this.#words(field, item)))
  }

  /** Enum values without their shared prefix, except names that people look up. */
  #words(field: DescField, value: unknown): string {
    const text = valueText(field, value, this.#mentions.nameOf)
    if (field.enum === undefined || field.enum.name === "FeatureName") return text
    const prefix = (field.enum.sharedPrefix ?? "").toUpperCase()
    return text.startsWith(prefix) ? text.slice(prefix.length) : text
  }

  /** The words before and after a member that is set, with its value between; "" without it. */
  ifSet(name: MemberOf<P>, words: (value: string) => string): string {
    return this.has(name) ? words(this.say(name)) : ""
  }

  /** Items of a list of messages, each in words of its own. */
  list<K extends MemberOf<P>>(name: K, words: (item: MemberPhrases<ItemOf<P[K]>>) => string): string {
    const { message } = this.#field(name)
    if (message === undefined) throw new TypeError(`${name} is not a list of messages`)
    const items = this.raw[name] as readonly ItemOf<P[K]>[]
    const shown = items.map((item, index) => {
      const mentions = isWhollyListed(items)
        ? this.#mentions
        : { ...this.#mentions, mentioned: new Set<string>() }
      return words(new MemberPhrases(message, item, mentions, `${this.#pathOf(name)}[${index}]`))
    })
    return listed(shown)
  }

  /** A member that is a message, in words of its own. */
  one<K extends MemberOf<P>>(
    name: K,
    words: (item: MemberPhrases<NonNullable<P[K]> & object>) => string,
  ): string {
    const { message } = this.#field(name)
    const value = this.raw[name]
    if (message === undefined || typeof value !== "object" || value === null) return "none"
    return words(new MemberPhrases(message, value, this.#mentions, this.#pathOf(name)))
  }

  /** Records that the sentence mentions these members in words of its own. */
  mention(...names: readonly MemberOf<P>[]): void {
    for (const name of names) this.#mentions.mentioned.add(this.#pathOf(this.#field(name).jsonName))
  }

  /** An address or id of the request behind its name. */
  get nameOf(): NameOf {
    return this.#mentions.nameOf
  }

  #pathOf(jsonName: string): string {
    return this.#path === "" ? jsonName : `${this.#path}.${jsonName}`
  }

  #field(name: string): DescField {
    const field = this.#schema.fields.find(({ localName }) => localName === name)
    if (field === undefined) throw new TypeError(`${this.#schema.name} has no member ${bytesText(name)}`)
    return field
  }
}
