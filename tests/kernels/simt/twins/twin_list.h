// SPDX-License-Identifier: MIT
#pragma once

#include "tests/kernels/simt/twins/twin.h"

// The twins' programs, for the table in twin.cpp; each file of kernels holds some of them.
namespace foxhunt::twins {

// barriers.cu
Bytes barrier_missing_after_load(bool fixed);
Bytes barrier_missing_before_reuse(bool fixed);
Bytes barrier_missing_in_a_loop(bool fixed);
Bytes barrier_missing_at_double_buffer(bool fixed);
Bytes double_buffer_off_by_one(bool fixed);
Bytes barrier_missing_after_broadcast(bool fixed);
Bytes syncwarp_where_syncthreads(bool fixed);
Bytes scan_step_in_place(bool fixed);
Bytes stencil_in_place(bool fixed);
Bytes barrier_missing_at_global_scratch(bool fixed);
Bytes blocks_assumed_in_order(bool fixed);

// warps.cu
Bytes syncwarp_missing_at_exchange(bool fixed);
Bytes syncwarp_missing_in_unrolled_tree(bool fixed);
Bytes syncwarp_of_half_the_lanes(bool fixed);
Bytes shuffle_from_outside_the_mask(bool fixed);
Bytes activemask_as_the_whole_warp(bool fixed);
Bytes activemask_aggregated_push(bool fixed);
Bytes leader_lane_tells_by_memory(bool fixed);

// fences.cu
Bytes last_block_without_writer_fence(bool fixed);
Bytes last_block_without_reader_fence(bool fixed);
Bytes last_block_with_block_fence(bool fixed);
Bytes flag_published_without_fence(bool fixed);
Bytes flag_read_without_fence(bool fixed);
Bytes message_between_warps_without_fence(bool fixed);
Bytes flag_set_before_data(bool fixed);
Bytes lock_released_without_fence(bool fixed);
Bytes lock_taken_without_fence(bool fixed);

// sums.cu
Bytes float_atomic_sum(bool fixed);
Bytes double_atomic_sum(bool fixed);
Bytes sum_tree_by_float_atomics(bool fixed);
Bytes split_k_by_atomics(bool fixed);
Bytes lost_update(bool fixed);
Bytes lost_update_in_shared_histogram(bool fixed);
Bytes accumulate_by_several_writers(bool fixed);
Bytes compare_and_swap_not_repeated(bool fixed);
Bytes partial_sums_of_fetched_work(bool fixed);

// arrivals.cu
Bytes ring_slots_by_counter(bool fixed);
Bytes hash_table_by_arrival(bool fixed);
Bytes argmax_with_ties(bool fixed);
Bytes random_numbers_by_arrival(bool fixed);
Bytes scatter_to_equal_places(bool fixed);
Bytes linked_list_by_arrival(bool fixed);
Bytes early_stop_by_counter(bool fixed);
Bytes pages_taken_by_counter(bool fixed);
Bytes flag_read_while_others_set_it(bool fixed);

// memory.cu
Bytes uninitialised_shared_bins(bool fixed);
Bytes uninitialised_scratch_tail(bool fixed);
Bytes accumulator_never_cleared(bool fixed);
Bytes store_into_the_next_row(bool fixed);
Bytes load_past_the_end(bool fixed);
Bytes overlapping_dynamic_shared(bool fixed);
Bytes padding_never_written(bool fixed);
Bytes shift_in_place(bool fixed);
Bytes row_normalised_in_place(bool fixed);

// streams.cu
Bytes stream_without_event(bool fixed);
Bytes event_recorded_too_early(bool fixed);
Bytes event_waited_for_before_its_record(bool fixed);
Bytes event_recorded_in_the_wrong_stream(bool fixed);
Bytes default_stream_taken_to_wait(bool fixed);
Bytes memset_in_another_stream(bool fixed);
Bytes accumulation_from_two_streams(bool fixed);
Bytes scratch_shared_by_two_streams(bool fixed);
Bytes buffer_back_in_the_pool_too_early(bool fixed);

// copies.cu
Bytes host_read_before_sync(bool fixed);
Bytes host_waits_for_the_event_before(bool fixed);
Bytes pinned_staging_reused(bool fixed);
Bytes pinned_where_pageable_was_assumed(bool fixed);
Bytes staging_pair_waits_for_an_older_copy(bool fixed);
Bytes copy_torn_by_a_kernel(bool fixed);
Bytes upload_overtakes_the_reader(bool fixed);
Bytes host_scalar_changed_before_it_was_read(bool fixed);

}  // namespace foxhunt::twins
