import { useState } from "preact/hooks"
import { ApiFault } from "../api/client.ts"
import { enterByApiKey, enterByPasskey } from "../api/enter.ts"
import { forgetOrganization, knownOrganizations } from "../api/known-organizations.ts"
import { ended } from "../api/login.ts"
import { sentenceOfFault } from "../words/faults.ts"
import { Fault, Notice } from "../ui/basics.tsx"
import { FieldRow } from "../ui/fields.tsx"
import { Icon } from "../ui/icon.tsx"
import { Brand } from "../ui/shell.tsx"
import { ANOTHER, OrganizationChoice } from "./login/organization-choice.tsx"
import { LinkDetails } from "./login/link-details.tsx"

export function LoginPage() {
  const [known, setKnown] = useState(knownOrganizations())
  const [chosen, setChosen] = useState(known[0]?.organizationId ?? ANOTHER)
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const organization = known.find(({ organizationId }) => organizationId === chosen)
  const enter = async (way: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await way()
    } catch (caught) {
      setError(caught as Error)
    } finally {
      setBusy(false)
    }
  }
  const forget = (organizationId: string) => {
    forgetOrganization(organizationId)
    const rest = knownOrganizations()
    setKnown(rest)
    if (organizationId === chosen) setChosen(rest[0]?.organizationId ?? ANOTHER)
  }
  const isOfKey = error instanceof ApiFault && error.field === "privateKey"
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
        {ended.value !== undefined && (
          <Notice tone={ended.value.how === "left" ? "good" : "warn"}>
            <p>{ended.value.because}</p>
          </Notice>
        )}
        {error && !isOfKey && <Fault error={error} />}
        <OrganizationChoice known={known} chosen={chosen} choose={setChosen} forget={forget} />
        <div class="stack-s">
          <button
            type="button"
            class="button primary"
            disabled={busy}
            onClick={() => void enter(() => enterByPasskey(organization))}
          >
            <Icon name="key" /> Log in with a passkey
          </button>
          {organization === undefined && (
            <p class="quiet small">
              A passkey that was made here finds its organization by itself. The browser asks for it twice.
            </p>
          )}
        </div>
        <div class="stack">
          <ApiKeyDetails
            busy={busy}
            fault={isOfKey ? sentenceOfFault(error) : undefined}
            enter={(text) => void enter(() => enterByApiKey(text, organization?.organizationId))}
          />
          <LinkDetails />
        </div>
      </div>
    </main>
  )
}

type ApiKeyDetailsProps = { busy: boolean; fault?: string | undefined; enter: (text: string) => void }

function ApiKeyDetails({ busy, fault, enter }: ApiKeyDetailsProps) {
  const [text, setText] = useState("")
  return (
    <details>
      <summary>Log in with an API key</summary>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          enter(text)
        }}
      >
        <FieldRow
          field={{
            name: "privateKey",
            label: "Private key",
            kind: "password",
            code: true,
            hint: "Its 64 hexadecimal digits, or the text of .env.local, which names the organization too. It opens one session of 12 hours, whose key this browser makes, and is not kept.",
          }}
          value={text}
          fault={fault}
          onChange={(value) => setText(String(value))}
        />
        <div>
          <button type="submit" class="button" disabled={busy}>
            Log in with this key
          </button>
        </div>
      </form>
    </details>
  )
}
