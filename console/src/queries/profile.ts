import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/generated.ts';
import { session } from '../session/session.ts';

export type Profile = components['schemas']['Profile'];
export type ProfileChange = components['schemas']['ProfileChange'];
export type PasswordChange = components['schemas']['PasswordChange'];

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => answer(api.GET('/api/v1/pivat/profile')),
  staleTime: 60_000,
});

/** Reads the caller's profile. */
export function useProfile() {
  return useQuery(profileQuery);
}

/** Updates the session with the values of a profile. */
export function keepInSession(profile: Profile): void {
  session.update({
    email: profile.email,
    organization: profile.organization,
    auto_logout_timeout: profile.auto_logout_timeout,
    autogrouping_rule: profile.autogrouping_rule,
    is_staff: profile.is_staff,
    is_superuser: profile.is_superuser,
    lang: profile.lang,
    groups: profile.groups,
  });
}

export function useUpdateProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: ProfileChange) => answer(api.PUT('/api/v1/pivat/profile', { body: change })),
    onSuccess: (profile) => {
      client.setQueryData(profileQuery.queryKey, profile);
      keepInSession(profile);
    },
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: PasswordChange) => answer(api.POST('/api/v1/pivat/profile/password', { body: change })),
    onSuccess: () => client.invalidateQueries({ queryKey: profileQuery.queryKey }),
  });
}
