import { useState } from "preact/hooks"
import { useQuery } from "../../api/data.ts"
import { requireLogin } from "../../api/login.ts"
import type { MfaPolicy, User } from "../../api/people.ts"
import { Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"
import { Table } from "../../ui/table.tsx"
import { UserPicker } from "../../ui/user-picker.tsx"
import { changeMfaPolicy, createMfaPolicy } from "./mfa-form.ts"
import { methodLabels } from "./mfa-methods.ts"
import { type Profile, useSessionProfiles } from "./session-profiles.tsx"

/** MFA policies of one user: which factors their requests need. */
export function MfaPolicies() {
  const [userId, setUserId] = useState(requireLogin().userId)
  const state = useQuery<{ user: User }>(userId === "" ? undefined : "get_user", { userId })
  const profiles = useSessionProfiles()
  const user = state.data?.user
  const known = profiles.data?.sessionProfiles
  return (
    <Section
      title="MFA policies"
      aside={
        <button
          type="button"
          class="button tight"
          disabled={user === undefined || known === undefined}
          onClick={() => user && known && createMfaPolicy(user, known)}
        >
          Create MFA policy
        </button>
      }
    >
      <div class="filters">
        <div class="field">
          <span class="small quiet">User</span>
          <UserPicker
            label="User"
            value={[userId].filter((id) => id !== "")}
            onChange={([id = ""]) => setUserId(id)}
          />
        </div>
      </div>
      {userId === "" ? (
        <div class="card flush">
          <Empty sentence="Choose a user: MFA policies belong to one user each." />
        </div>
      ) : (
        <Policies user={user} profiles={known ?? []} state={state} />
      )}
    </Section>
  )
}

function Policies({
  user,
  profiles,
  state,
}: {
  user: User | undefined
  profiles: readonly Profile[]
  state: { error: Error | undefined; reload: () => void }
}) {
  const labels = methodLabels(user, profiles)
  return (
    <Table<MfaPolicy>
      label="MFA policies"
      columns={[
        { title: "Name", cell: ({ mfaPolicyName }) => <b>{mfaPolicyName}</b> },
        {
          title: "Needs",
          cell: ({ requiredAuthenticationMethods: steps }) =>
            steps.map(({ any }) => any.map(labels).join(" or ")).join(", and "),
        },
        { title: "For requests", wide: true, cell: ({ condition }) => <code class="wrap">{condition}</code> },
        { title: "Rank", wide: true, cell: ({ order = 0 }) => order },
        actsColumn(
          ({ mfaPolicyName }) => mfaPolicyName,
          (policy) =>
            user
              ? [
                  { verb: "Change", act: () => changeMfaPolicy(user, policy, profiles) },
                  { verb: "Delete", act: () => remove(user.userId, policy), grave: true },
                ]
              : [],
        ),
      ]}
      rows={user && user.mfaPolicies.toSorted(({ order: one = 0 }, { order: other = 0 }) => one - other)}
      state={state}
      keyOf={({ mfaPolicyId }) => mfaPolicyId}
      empty={<Empty sentence="No MFA policy: one credential of this user is enough." />}
    />
  )
}

function remove(userId: string, { mfaPolicyId, mfaPolicyName }: MfaPolicy): void {
  openChange({
    title: "Delete MFA policy",
    verb: "Delete MFA policy",
    type: "ACTIVITY_TYPE_DELETE_MFA_POLICY",
    grave: { loses: "Requests that needed a second factor need one credential alone.", name: mfaPolicyName },
    parameters: () => ({ userId, mfaPolicyId }),
  })
}
