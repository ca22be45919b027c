import { correlationAnnotations, correlationOf, isTraceparent } from './correlation.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('request id and traceparent are read back from the annotations', () => {
  expect(correlationOf(correlationAnnotations({ requestId: 'a-1', traceparent: TRACE }))).toEqual({
    requestId: 'a-1',
    traceparent: TRACE,
  });
});

test('malformed annotations are ignored', () => {
  expect(correlationOf({ 'seqpanel.dev/request-id': 'a\nb', 'seqpanel.dev/traceparent': 'x' })).toEqual({});
  expect(correlationOf(undefined)).toEqual({});
});

test('only version 00 with non-zero ids is a valid traceparent', () => {
  expect(isTraceparent(TRACE)).toBe(true);
  expect(isTraceparent('00-00000000000000000000000000000000-00f067aa0ba902b7-01')).toBe(false);
  expect(isTraceparent('01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')).toBe(false);
  expect(isTraceparent([TRACE])).toBe(false);
});
