/** Whose types all tenants share. */
export const SHARED_TENANT = '*';
