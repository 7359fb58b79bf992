import { useQuery } from "../../api/data.ts"
import { Empty } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textsOf } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"
import { copyOrDelete, introOfCopy } from "./unchanging.tsx"
import { duration } from "../../words/time.ts"

export type Profile = {
  sessionProfileId: string
  sessionProfileName: string
  scope: string
  expirationSeconds?: string
  notes?: string
}

export const useSessionProfiles = () => useQuery<{ sessionProfiles: Profile[] }>("get_session_profiles")

/** Scopes that logins can ask for. A profile never changes: sessions that name it keep what they were given. */
export function SessionProfiles() {
  const state = useSessionProfiles()
  return (
    <ListSection<Profile>
      title="Session profiles"
      verb="Create profile"
      onAdd={() => create()}
      columns={[
        { title: "Name", cell: ({ sessionProfileName }) => <b>{sessionProfileName}</b> },
        { title: "Scope", cell: ({ scope }) => <code class="wrap">{scope}</code> },
        {
          title: "Lasts",
          wide: true,
          cell: ({ expirationSeconds: seconds }) =>
            seconds ? `at most ${duration(Number(seconds))}` : "as the login asks",
        },
        actsColumn(
          ({ sessionProfileName }) => sessionProfileName,
          (profile) =>
            copyOrDelete(
              () => create(profile),
              () => remove(profile),
            ),
        ),
      ]}
      rows={state.data?.sessionProfiles}
      state={state}
      keyOf={({ sessionProfileId }) => sessionProfileId}
      empty={<Empty sentence="There is no profile: a session may do what its user may." />}
    />
  )
}

/** @param model profile whose members the form begins with */
function create(model?: Profile): void {
  openChange({
    title: "Create session profile",
    ...introOfCopy(
      model &&
        `A profile never changes. This makes another one: let logins ask for it, then delete ${model.sessionProfileName}.`,
    ),
    verb: "Create profile",
    type: "ACTIVITY_TYPE_CREATE_SESSION_PROFILE",
    fields: [
      { name: "sessionProfileName", label: "Name", initial: model ? `${model.sessionProfileName} 2` : "" },
      {
        name: "scope",
        label: "Scope: which requests",
        kind: "area",
        code: true,
        initial: model?.scope ?? "",
        placeholder: "activity.action == 'SIGN'",
        hint: "An expression of the policy language. Every request of such a session must satisfy it.",
      },
      {
        name: "expirationSeconds",
        label: "Longest life, seconds (optional)",
        kind: "number",
        initial: model?.expirationSeconds ?? "",
      },
      { name: "notes", label: "Notes for people (optional)", initial: model?.notes ?? "" },
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
