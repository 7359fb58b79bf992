import { useQuery } from "../../api/data.ts"
import { Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textsOf } from "../../ui/fields.tsx"
import { Table } from "../../ui/table.tsx"
import { duration } from "../../words/time.ts"

type Profile = {
  sessionProfileId: string
  sessionProfileName: string
  scope: string
  expirationSeconds?: string
  notes?: string
}

/** Scopes that logins can ask for. */
export function SessionProfiles() {
  const state = useQuery<{ sessionProfiles: Profile[] }>("get_session_profiles")
  return (
    <Section
      title="Session profiles"
      aside={
        <button type="button" class="button tight" onClick={create}>
          Create profile
        </button>
      }
    >
      <Table<Profile>
        label="Session profiles"
        columns={[
          { title: "Name", cell: ({ sessionProfileName }) => <b>{sessionProfileName}</b> },
          { title: "Scope", cell: ({ scope }) => <code class="wrap">{scope}</code> },
          {
            title: "Lasts",
            wide: true,
            cell: ({ expirationSeconds: seconds }) =>
              seconds ? `at most ${duration(Number(seconds))}` : "as the login asks",
          },
          {
            title: "Delete",
            cell: (profile) => (
              <button type="button" class="button plain tight" onClick={() => remove(profile)}>
                Delete <span class="hidden-visually">{profile.sessionProfileName}</span>
              </button>
            ),
          },
        ]}
        rows={state.data?.sessionProfiles}
        state={state}
        keyOf={({ sessionProfileId }) => sessionProfileId}
        empty={<Empty sentence="There is no profile: a session may do what its user may." />}
      />
    </Section>
  )
}

function create(): void {
  openChange({
    title: "Create session profile",
    verb: "Create profile",
    type: "ACTIVITY_TYPE_CREATE_SESSION_PROFILE",
    fields: [
      { name: "sessionProfileName", label: "Name" },
      {
        name: "scope",
        label: "Scope: which requests",
        kind: "area",
        code: true,
        placeholder: "activity.action == 'SIGN'",
        hint: "An expression of the policy language. Every request of such a session must satisfy it.",
      },
      { name: "expirationSeconds", label: "Longest life, seconds (optional)", kind: "number" },
      { name: "notes", label: "Notes for people (optional)" },
    ],
    parameters: (values) => textsOf(values, "sessionProfileName", "scope", "expirationSeconds", "notes"),
  })
}

function remove({ sessionProfileId, sessionProfileName }: Profile): void {
  openChange({
    title: "Delete session profile",
    verb: "Delete profile",
    type: "ACTIVITY_TYPE_DELETE_SESSION_PROFILE",
    sentence: `Delete session profile “${sessionProfileName}”. Its sessions keep their scope until they end.`,
    parameters: () => ({ sessionProfileId }),
  })
}
