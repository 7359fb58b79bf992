// Session profiles and velocity controls never change: a new one begins with the terms of another.
import { Notice } from "../../ui/basics.tsx"
import type { Act } from "../../ui/row-menu.tsx"

export function copyOrDelete(copy: () => void, remove: () => void): readonly Act[] {
  return [
    { verb: "Copy", act: copy },
    { verb: "Delete", act: remove, grave: true },
  ]
}

/** The head of a form that begins with the terms of another object; nothing for a form that begins empty. */
export function introOfCopy(sentence: string | undefined) {
  if (sentence === undefined) return {}
  return {
    intro: (
      <Notice>
        <p>{sentence}</p>
      </Notice>
    ),
  }
}
