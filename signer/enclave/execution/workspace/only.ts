/**
 * Some members of an object, and no way to the others: methods are bound, the object is frozen and has no prototype.
 * A cast in an activity thus reaches nothing that its types do not name.
 */
export function only<Source extends object, Name extends string & keyof Source>(
  source: Source,
  ...names: readonly Name[]
): Pick<Source, Name> {
  const members = Object.create(null) as { [Member in Name]: Source[Member] }
  for (const name of names) {
    const member = source[name]
    members[name] = typeof member === "function" ? member.bind(source) : member
  }
  return Object.freeze(members)
}
