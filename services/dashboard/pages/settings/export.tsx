import { useState } from "preact/hooks"
import { ApiFault, query } from "../../api/client.ts"
import { requireLogin } from "../../api/login.ts"
import type { SignedDocument } from "../../api/signed-document.ts"
import { trust } from "../../api/trust.ts"
import { Fault, Notice, Section } from "../../ui/basics.tsx"
import { exactTime } from "../../words/time.ts"

/** Queries for data that the signed document has only as a digest, or not at all. Their replies are the API tier's word. */
const STATED = [
  "get_auth_proxy_config",
  "list_email_templates",
  "list_oauth2_credentials",
  "list_smart_contract_interfaces",
] as const

/** A file with the organization's configuration: the document that the signer signed, and the data outside it. */
export function Export() {
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const [exported, setExported] = useState<SignedDocument | undefined>(undefined)
  const save = async () => {
    setBusy(true)
    setError(undefined)
    setExported(undefined)
    try {
      const { notarizedDocument, read } = await readDocument()
      const stated = await Promise.all(STATED.map(async (part) => [part, await reply(part)] as const))
      const file = {
        notarizedDocument,
        document: read.content,
        notSigned: Object.fromEntries(stated),
      }
      download(`${read.organizationId}-${read.version}.json`, JSON.stringify(file, undefined, 2))
      setExported(read)
    } catch (caught) {
      setError(caught as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title="Export">
      <div class="card stack">
        <p>
          Users, policies, tags, quorum, features, profiles, addresses and endpoints, as one JSON file with
          the signer’s signature, and beside them login settings, templates and interfaces. It has no key and
          no secret in clear.
        </p>
        {error && <Fault error={error} retry={() => void save()} />}
        {exported && <Verdict {...exported} />}
        <div>
          <button type="button" class="button" disabled={busy} onClick={() => void save()}>
            {busy ? "Reading…" : "Export the configuration"}
          </button>
        </div>
      </div>
    </Section>
  )
}

/** Whether the exported document is the signer's. That it is the newest one, only the signer knows. */
function Verdict({ isSigned, version, updatedAtMs }: SignedDocument) {
  const which = `Version ${version} of ${exactTime(updatedAtMs)}`
  if (isSigned)
    return (
      <Notice tone="good">
        <p>{which} was exported. The signer of this browser’s pins signed it.</p>
        <p class="small">
          Compare the version with that of another export: this page cannot prove that none is newer.
        </p>
      </Notice>
    )
  if (trust.value?.pins === undefined)
    return (
      <Notice tone="warn">
        <p>
          {which} was exported. This browser trusts no pins, so its signature is not checked.{" "}
          <a href="/system">Compare them</a>
        </p>
      </Notice>
    )
  return (
    <Notice tone="bad">
      <p class="strong">{which} is not signed by the signer of this browser’s pins. Do not use the file.</p>
    </Notice>
  )
}

/** @throws {Error} if the API sends another organization's document */
async function readDocument(): Promise<{ notarizedDocument: string; read: SignedDocument }> {
  const { organizationId } = requireLogin()
  const [{ notarizedDocumentB64: notarizedDocument }, { readSignedDocument }] = await Promise.all([
    query<{ notarizedDocumentB64: string }>("get_organization_document"),
    import("../../api/signed-document.ts"),
  ])
  const read = readSignedDocument(notarizedDocument, trust.value?.pins)
  if (read.organizationId === organizationId) return { notarizedDocument, read }
  throw new Error(
    `The API sent the document of ${read.organizationId}, not of ${organizationId}. Nothing was exported.`,
  )
}

/** A reply; null for what the organization does not have. */
async function reply(path: string): Promise<unknown> {
  try {
    return await query(path)
  } catch (error) {
    if (error instanceof ApiFault && error.status === 404) return null
    throw error
  }
}

function download(name: string, text: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
