// The organization of this browser's last login: for the login page, and to notice a link of somebody else's.

const LAST = "countersign.organization"

/** "": nobody has logged in here. */
export function lastOrganization(): string {
  return localStorage.getItem(LAST) ?? ""
}

export function rememberOrganization(organizationId: string): void {
  localStorage.setItem(LAST, organizationId)
}
