// Members of a request for its sentence. Each member that a sentence tells is noted: a list shows what it leaves out.
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

type Notes = { readonly nameOf: NameOf; readonly told: Set<string> }

export class Told<P extends object> {
  readonly raw: P
  readonly #schema: DescMessage
  readonly #path: string
  readonly #notes: Notes

  constructor(schema: DescMessage, raw: P, notes: Notes, path = "") {
    this.raw = raw
    this.#schema = schema
    this.#notes = notes
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
      this.note(name)
      return this.#words(field, value)
    }
    if (isWhollyListed(value)) this.note(name)
    return listed(value.map((item) => this.#words(field, item)))
  }

  /** Enum values without the prefix that all of them share, but for names that people look up. */
  #words(field: DescField, value: unknown): string {
    const text = valueText(field, value, this.#notes.nameOf)
    if (field.enum === undefined || field.enum.name === "FeatureName") return text
    const prefix = (field.enum.sharedPrefix ?? "").toUpperCase()
    return text.startsWith(prefix) ? text.slice(prefix.length) : text
  }

  /** The words before and after a member that is set, with its value between; "" without it. */
  ifSet(name: MemberOf<P>, words: (value: string) => string): string {
    return this.has(name) ? words(this.say(name)) : ""
  }

  /** Items of a list of messages, each in words of its own. */
  list<K extends MemberOf<P>>(name: K, words: (item: Told<ItemOf<P[K]>>) => string): string {
    const { message } = this.#field(name)
    if (message === undefined) throw new TypeError(`${name} is not a list of messages`)
    const items = this.raw[name] as readonly ItemOf<P[K]>[]
    const shown = items.map((item, index) => {
      const told = isWhollyListed(items) ? this.#notes : { ...this.#notes, told: new Set<string>() }
      return words(new Told(message, item, told, `${this.#pathOf(name)}[${index}]`))
    })
    return listed(shown)
  }

  /** A member that is a message, in words of its own. */
  one<K extends MemberOf<P>>(name: K, words: (item: Told<NonNullable<P[K]> & object>) => string): string {
    const { message } = this.#field(name)
    const value = this.raw[name]
    if (message === undefined || typeof value !== "object" || value === null) return "none"
    return words(new Told(message, value, this.#notes, this.#pathOf(name)))
  }

  /** Notes that the sentence tells these members in words of its own. */
  note(...names: readonly MemberOf<P>[]): void {
    for (const name of names) this.#notes.told.add(this.#pathOf(this.#field(name).jsonName))
  }

  /** An address or id of the request behind its name. */
  get nameOf(): NameOf {
    return this.#notes.nameOf
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
