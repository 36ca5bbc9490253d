#!/usr/bin/env bash
# GPUs, one rank each: sbatch gpus.sh DECK [OPTIONS of sedge run]
# Change the lines that begin with #SBATCH to what your cluster has.
#SBATCH --job-name=sedge
#SBATCH --nodes=1               # or more, with as many GPUs each
#SBATCH --ntasks-per-node=4     # as many as GPUs
#SBATCH --gpus-per-node=4       # older clusters: --gres=gpu:4
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.out

# The program stops before this time with a checkpoint and exit code 5; to go on, submit again.
# Slurm before 23.02 does not tell it to the job.
SLURM_JOB_END_TIME=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)}
export SLURM_JOB_END_TIME

# All ranks of a node see all its GPUs, and rank i takes GPU i. With --gpus-per-task=1 each rank sees
# one GPU and takes that; the program then takes them for a shared one and says so.
# In the place of this script, so that it gets the signals and hands them to the ranks.
# srun where Slurm and MPI both speak PMIx (srun --mpi=list); else mpirun in its place.
exec srun --mpi=pmix --gpu-bind=none --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    "${SEDGE:-sedge}" run "$@" --device cuda --restart auto
