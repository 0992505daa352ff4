/** What every command takes. */
export type CommonOptions = { readonly config?: string; readonly json?: boolean };
