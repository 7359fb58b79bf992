import { useState } from "preact/hooks"
import { FieldRow } from "../../ui/fields.tsx"

/** A one-use link that was copied, where it cannot be opened by a click. Only its secret is taken from it. */
export function LinkDetails() {
  const [link, setLink] = useState("")
  const [fault, setFault] = useState<string | undefined>(undefined)
  const enter = () => {
    const [, secret = ""] = /^\s*(?:\S*#)?([\w-]+)\s*$/.exec(link) ?? []
    if (secret === "") setFault("Paste the whole link; its secret is what follows the sign #.")
    else location.assign(`/enter#${secret}`)
  }
  return (
    <details>
      <summary>Log in with a link</summary>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          enter()
        }}
      >
        <FieldRow
          field={{ name: "link", label: "One-use link", kind: "password", code: true }}
          value={link}
          fault={fault}
          onChange={(value) => setLink(String(value))}
        />
        <p class="quiet small">
          On the machine with the key files <code>npx countersign dashboard</code> prints one; while{" "}
          <code>npm start</code> runs, <code>npx countersign dev link</code> does.
        </p>
        <div>
          <button type="submit" class="button">
            Log in with this link
          </button>
        </div>
      </form>
    </details>
  )
}
