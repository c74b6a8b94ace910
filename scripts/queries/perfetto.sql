-- Time by name, in the words of Perfetto
-- A query as it is written for Perfetto's tables: slices joined to their tracks, nanoseconds summed.
SELECT track.name AS track, slice.name, count(*) AS count, sum(slice.dur) AS dur_ns,
       max(slice.dur) AS longest_ns
FROM v_slice AS slice JOIN v_track AS track ON slice.track_id = track.id
WHERE slice.run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
  AND slice.core = (SELECT core FROM v_core WHERE run_id = slice.run_id AND deciding)
  AND slice.category = 'busy'
GROUP BY track.name, slice.name ORDER BY dur_ns DESC, slice.name;
