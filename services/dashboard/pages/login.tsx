import { useState } from "preact/hooks"
import { ApiFault } from "../api/client.ts"
import { enterByApiKey, enterByPasskey } from "../api/enter.ts"
import { lastOrganization, rememberOrganization } from "../api/last-organization.ts"
import { endedBecause } from "../api/login.ts"
import { Fault, Notice } from "../ui/basics.tsx"
import { FieldRow } from "../ui/fields.tsx"
import { Icon } from "../ui/icon.tsx"
import { Brand } from "../ui/shell.tsx"

export function LoginPage() {
  const [organizationId, setOrganizationId] = useState(lastOrganization())
  const [privateKey, setPrivateKey] = useState("")
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const enter = async (way: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await way()
      rememberOrganization(organizationId.trim())
    } catch (caught) {
      setError(caught as Error)
    } finally {
      setBusy(false)
    }
  }
  const field = error instanceof ApiFault ? error.field : ""
  const faultOf = (name: string) => (field === name ? { fault: error?.message } : {})
  return (
    <main class="door">
      <div>
        <Brand />
        <div class="stack-s">
          <h1>Log in</h1>
          <p class="quiet">
            This page stamps requests in your browser. Its host has no rights and sees no key.
          </p>
        </div>
        {endedBecause.value !== "" && (
          <Notice tone="warn">
            <p>{endedBecause.value}</p>
          </Notice>
        )}
        {error && !["organizationId", "privateKey"].includes(field) && <Fault error={error} />}
        <form
          class="stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void enter(() => enterByApiKey(organizationId.trim(), privateKey))
          }}
        >
          <FieldRow
            field={{
              name: "organizationId",
              label: "Organization id",
              code: true,
              placeholder: "6f0b7c1e-…",
            }}
            value={organizationId}
            {...faultOf("organizationId")}
            onChange={(value) => setOrganizationId(String(value))}
          />
          <button
            type="button"
            class="button primary"
            disabled={busy}
            onClick={() => void enter(() => enterByPasskey(organizationId.trim()))}
          >
            <Icon name="key" /> Log in with a passkey
          </button>
          <ApiKeyDetails
            privateKey={privateKey}
            busy={busy}
            onChange={setPrivateKey}
            {...faultOf("privateKey")}
          />
        </form>
        <p class="quiet small">
          On the machine with the key files: <code>npx countersign dashboard</code> prints a link that logs in
          once.
        </p>
      </div>
    </main>
  )
}

type ApiKeyDetailsProps = {
  privateKey: string
  busy: boolean
  fault?: string | undefined
  onChange: (privateKey: string) => void
}

function ApiKeyDetails({ privateKey, busy, fault, onChange }: ApiKeyDetailsProps) {
  return (
    <details>
      <summary>Log in with an API key</summary>
      <div class="stack">
        <FieldRow
          field={{
            name: "privateKey",
            label: "Private key",
            kind: "password",
            code: true,
            hint: "64 hexadecimal digits. It opens one session of 12 hours, whose key this browser makes, and is not kept.",
          }}
          value={privateKey}
          fault={fault}
          onChange={(value) => onChange(String(value))}
        />
        <button type="submit" class="button" disabled={busy}>
          Log in with this key
        </button>
      </div>
    </details>
  )
}
